// Ask: a form in which anybody puts a question of their own. `sensitivity_beyond.ask` says which fields there are, and answers in
// the Python of the page; here they are set, shown and read. What is typed or chosen goes to that Python, and nowhere else.
(() => {
  "use strict";
  const { make, say, ask, everywhere } = Stage, PLAIN = { autocomplete: "off", autocapitalize: "off", spellcheck: false };
  // ---- One field: its label, its control, what helps, and room for what is refused ----

  function set({ name, label, kind, help, start, choices, when }) {
    const id = `ask-${name}`, given = { name, "aria-describedby": `${id}-said` }, entries = Object.entries(choices);
    const said = make("span", { id: `${id}-said`, className: "said" }, make("i", { textContent: help }), " ", make("b"));
    const radio = ([value, words]) => make("label", {}, make("input", { type: "radio", ...given, value, defaultChecked: value === start }), ` ${words}`);
    const option = ([value, words]) => new Option(words, value, value === start, value === start);
    const controls = {
      choice: () => make("fieldset", {}, make("legend", {}, label), ...entries.map(radio)),
      menu: () => make("select", { id, ...given }, ...entries.map(option)),
      lines: () => make("textarea", { id, ...given, ...PLAIN, rows: 5 }),
      file: () => make("input", { id, ...given, type: "file", accept: ".csv,.tsv,.txt,text/*" }),
      line: () => make("input", { id, ...given, ...PLAIN, type: "text", defaultValue: start, inputMode: kind === "number" ? "decimal" : "text" }),
    };
    const control = (controls[{ column: "menu", number: "line" }[kind] ?? kind])();
    const node = make("div", { className: `field ${kind}` }, ...(kind === "choice" ? [] : [make("label", { for: id }, label)]), control, said);
    return Object.assign(node, { isShown: (form) => Object.entries(when).every(([other, one]) => (one.length ? one.includes(form[other]) : form[other])) });
  }

  everywhere(".ask", (root) => {
    const found = root.querySelector(".found"), curve = root.querySelector(".curve");
    finish(found, "pre", "Copy the Python", copy);
    finish(curve, "svg", "Save the picture", save);
    if (!window.live) return;
    document.querySelector(".ask-without")?.remove();
    const { parts, examples, most } = JSON.parse(root.dataset.form), read = make("div", { className: "read" });
    const go = make("button", { type: "submit" }, "Ask"), stop = make("button", { type: "button", hidden: true, onclick: () => window.live.stop() }, "Stop");
    const line = make("span", { role: "status" }), tries = Object.entries(examples).map(([name, one]) => make("button", { type: "button", onclick: () => work(() => attempt(one)) }, name));
    const titled = Object.entries(parts).map(([title, each], i) => make("fieldset", { className: "part" }, make("legend", {}, `${i + 1}. ${title}`), ...each.map(set), ...(i ? [] : [read])));
    const form = make("form", {}, make("p", { className: "tries" }, make("b", {}, "Try"), ...tries), ...titled, make("p", { className: "go" }, go, stop, make("progress", { "aria-label": "Python is at work" }), line));
    root.prepend(form);
    let file = "", seen = "", shape = "numbers", busy = false, next = null;
    const chosen = () => ({ ...Object.fromEntries(new FormData(form)), file });
    const call = (what) => ask(`sensitivity_beyond.ask:${what}`, chosen(), { line, stop, back: go, news: "Asking, for 20 seconds at the most." });
    function show() {
      const now = { ...chosen(), shape: chosen().source === "range" ? "numbers" : shape };
      for (const node of form.querySelectorAll(".field")) node.hidden = !node.isShown(now);
      read.hidden = now.source === "range";
    }
    // What is refused stands beside the field that it speaks of, which is read aloud with it.
    function refuse(field, words) {
      for (const node of form.querySelectorAll(".field")) { node.querySelector("b").textContent = ""; node.querySelector("[name]").removeAttribute("aria-invalid"); }
      if (!words) return;
      const node = form.querySelector(`[name="${field}"]`);
      node.closest(".field").hidden = false;
      node.closest(".field").querySelector("b").textContent = words;
      node.setAttribute("aria-invalid", "true");
      node.focus();
    }
    // One thing at a time, and then what was asked last; a start of Python that fails, or a stop, is told in the line.
    async function work(does) {
      next = does;
      while (next && !busy) {
        [busy, next] = [true, null];
        go.setAttribute("aria-disabled", "true");
        try { await does(); } catch (error) { next = null; say(line, error.message); }
        [busy, does] = [false, next];
        go.setAttribute("aria-disabled", "false");
      }
    }
    async function look() {
      const given = [chosen().pasted, file, chosen().source].join();
      if (given === seen || given.endsWith("range")) return true;
      const { refused, field, html = "", columns, shape: its } = await call("look");
      [seen, shape, read.innerHTML] = [refused ? "" : given, its, html];
      for (const menu of form.querySelectorAll(".column select")) {
        const { value, options: [first] } = menu;
        menu.replaceChildren(first, ...columns.map((name) => new Option(name, name, false, name === value)));
      }
      show();
      refuse(field, refused);
      return !refused;
    }
    async function answer() {
      refuse();
      if (!await look()) return;
      const { refused, field, html } = await call("answer");
      found.innerHTML = html;
      finish(found, "pre", "Copy the Python", copy);
      curve.hidden = Boolean(refused);
      if (refused) return refuse(field, refused);
      found.querySelector("h3").focus();
      curve.lastElementChild.textContent = "The curve is being drawn.";
      curve.lastElementChild.innerHTML = (await call("curve")).html;
      finish(curve, "svg", "Save the picture", save);
    }
    async function attempt(example) {
      form.reset();
      for (const again of [true, false]) {  // columns can be chosen once the table is read
        for (const [name, value] of Object.entries(example)) form.elements[name].value = value;
        show();
        if (again) await look();
      }
      await answer();
    }
    function choose(one) {  // a file that is too large is refused by its first bytes too many
      const reader = Object.assign(new FileReader(), { onload: () => { file = `${one.name}\n${reader.result.split(",")[1] ?? ""}`; work(look); } });
      file = "";
      if (one) reader.readAsDataURL(one.slice(0, most + 1));
    }
    Object.assign(form, { oninput: show, onsubmit: (event) => { event.preventDefault(); work(answer); } });
    form.elements.file.onchange = ({ target }) => choose(target.files[0]);
    form.elements.pasted.onchange = ({ target }) => { if (target.value.trim()) work(look); };
    show();
  });
  // ---- What can be done with an answer: a button behind its Python, and one behind its picture ----

  function finish(part, css, words, does) {
    const node = part.querySelector(css), button = make("button", { type: "button", onclick: () => does(node, button) }, words);
    node?.after(button);
  }
  function copy(node, button) {
    getSelection().selectAllChildren(node);
    button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl and C";
  }
  function save(node) {
    const file = new Blob([new XMLSerializer().serializeToString(node)], { type: "image/svg+xml" });
    make("a", { href: URL.createObjectURL(file), download: "sensitivity.svg" }).click();
  }
})();
