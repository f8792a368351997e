// Run, Edit, Restore and Stop at the code cells of a page.
(() => {
  "use strict";
  const { make, say: told } = Stage;
  const store = document.getElementById("live-cells");
  if (!store) return;
  const about = store.dataset.about;
  const cells = JSON.parse(store.textContent).map(({ source, elsewhere }, index) => (
    { index, original: source, elsewhere, box: document.getElementById(`cell-${index + 1}`) }));
  const shown = cells.filter(({ box }) => box);

  const button = (text, does) => make("button", { type: "button", textContent: text, onclick: does });
  const note = (cell, ...words) => cell.anchor.after(make("p", { className: "live-note" }, ...words));

  for (const cell of shown) {
    const input = cell.box.querySelector(".cell_input"), fold = input?.closest("details");
    cell.input = input;
    cell.anchor = fold && cell.box.contains(fold) ? fold : input;
  }
  if (!window.live) {  // an old browser: the page as it was stored, and a word why
    const first = shown.find(({ anchor }) => anchor);
    if (first) note(first, "This browser cannot run Python (it lacks WebAssembly, workers or streams). What you see was stored when the book was made.");
    return;
  }

  const STALE = "Something above has changed: run this one again.";
  let running = null;  // the cell whose button was pressed
  const typedIn = (cell) => (cell.field ? cell.field.value : cell.original);
  const sources = () => cells.map((cell) => (cell.elsewhere ? "" : typedIn(cell)));
  const seconds = (ms) => (ms < 950 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`);

  for (const cell of shown.filter(({ anchor }) => anchor)) {
    if (cell.elsewhere) { note(cell, `Not in the page: ${cell.elsewhere} Open the notebook in JupyterLab to run it.`); continue; }
    const number = cell.index + 1;
    cell.stored = [...cell.box.querySelectorAll(".cell_output")].map((output) => {
      const fold = output.closest("details");
      return fold && cell.box.contains(fold) && !fold.contains(cell.input) ? fold : output;
    });
    cell.run = button("Run", () => (running === cell ? window.live.stop() : run(cell)));
    cell.edit = button("Edit", () => edit(cell));
    cell.restore = button("Restore", () => restore(cell));
    for (const each of ["run", "edit", "restore"]) cell[each].setAttribute("aria-label", `${cell[each].textContent} cell ${number}`);
    cell.restore.hidden = true;
    cell.status = make("span", { className: "live-status", role: "status" });
    cell.out = make("div", { className: "cell_output live-output docutils container", hidden: true });
    cell.anchor.after(make("div", { className: "live-bar" }, cell.run, cell.edit, cell.restore, cell.status), cell.out);
  }
  const able = shown.filter((cell) => cell.run);

  // ---- running ----

  const say = (cell, words) => told(cell.status, words);

  async function run(cell) {
    if (running) { if (running !== cell) say(cell, "Another cell is running."); return; }
    running = cell;
    for (const other of able) {
      other.run.disabled = other !== cell;
      other.restore.disabled = true;
    }
    label(cell.run, "Stop", cell);
    try {
      await window.live.run(cell.index, sources(), (words) => say(cell, words), (message) => hear(cell, message));
      explain(cell);
    } catch (error) {
      say(cell, error.message);
    } finally {
      running = null;
      for (const other of able) other.run.disabled = other.restore.disabled = false;
      label(cell.run, "Run", cell);
    }
  }

  function label(node, word, cell) {
    node.textContent = word;
    node.setAttribute("aria-label", `${word} cell ${cell.index + 1}`);
  }

  let current = null;
  function hear(target, message) {
    if (message.kind === "begin") {
      current = cells[message.cell];
      current.begun = performance.now();
      clear(current);
      say(target, message.of > 1 ? `Running what it needs: ${message.place + 1} of ${message.of}.` : "Running.");
    } else if (message.kind === "end") {
      finish(target, current, message);
    } else if (current.out || message.kind === "error") {
      if (!current.out) clear(target);  // of a cell that the page does not show, its error is shown here
      show((current.out ? current : target).out, message);
    }
  }

  function finish(target, cell, { ok, stale }) {
    if (cell.run) {
      cell.ended = ok ? `Ran in your browser, ${seconds(performance.now() - cell.begun)}.` : "Ended with an error.";
      say(cell, cell.ended);
      cell.restore.hidden = false;
      polish(cell, ok);
    }
    for (const each of able) {
      if (stale.includes(each.index)) say(each, STALE);
      else if (each.status.textContent === STALE) say(each, each.ended);
    }
    if (!ok && cell !== target) say(target, "A cell above, which this one needs, ended with an error.");
  }

  // ---- what a cell shows ----

  function clear(cell) {
    if (!cell.out) return;
    for (const node of cell.stored) node.hidden = true;
    cell.out.replaceChildren();
    cell.out.hidden = false;
  }

  // What a cell writes is seen, and does nothing: no script runs, no frame opens, no handler hears.
  function harmless(html) {
    const { content } = make("template", { innerHTML: html });
    for (const node of content.querySelectorAll("script:not([type='application/json']), iframe, object, embed, link, meta, base")) node.remove();
    for (const node of content.querySelectorAll("*")) {
      for (const { name, value } of Array.from(node.attributes)) {  // some go
        if (/^(on|srcdoc)/i.test(name) || /^\s*(javascript|data:text)/i.test(value)) node.removeAttribute(name);
      }
    }
    return content;
  }

  function show(out, { kind, text }) {
    if (kind === "html") {
      out.append(make("div", { className: "output text_html" }, harmless(text)));
      return;
    }
    const last = out.lastElementChild;
    const goesOn = (kind === "stdout" || kind === "stderr") && last?.dataset.kind === kind;
    const box = goesOn ? last : make("div", { className: `output ${kind === "text" ? "text_plain" : kind === "error" ? "traceback" : "stream"}` }, make("pre"));
    box.dataset.kind = kind;
    box.said = overwritten((box.said ?? "") + text);
    const pre = box.querySelector("pre");
    pre.textContent = box.said.replaceAll("\r", "");
    if (!goesOn) out.append(box);
    if (pre.scrollWidth > pre.clientWidth) pre.tabIndex = 0;  // keys reach it, to scroll
  }

  // A progress bar goes back to the start of its line, `\r`, and writes over it.
  function overwritten(text) {
    if (!text.includes("\r")) return text;
    return text.split("\n").map((line) => {
      const words = line.replace(/\r+$/, "");
      return words.slice(words.lastIndexOf("\r") + 1) + (words === line ? "" : "\r");
    }).join("\n");
  }

  // Words and captions of stored drawings are true of the same drawings made again.
  function polish(cell, ok) {
    const same = ok && typedIn(cell) === cell.original;
    const old = cell.stored.flatMap((node) => [...node.querySelectorAll("svg.drawing")]);
    cell.out.querySelectorAll("svg.drawing").forEach((drawing, i) => {
      drawing.removeAttribute("aria-hidden");
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", same && old[i]?.getAttribute("aria-label") || "What this cell drew in your browser");
      if (same && old[i]) drawing.setAttribute("style", old[i].getAttribute("style") ?? "");
    });
    const caption = cell.stored.map((node) => node.querySelector("figcaption")).find(Boolean);
    if (same && caption) {
      const copy = make("div", { className: "live-caption" });
      copy.innerHTML = caption.innerHTML;
      copy.querySelectorAll("[id]").forEach((node) => node.removeAttribute("id"));
      cell.out.append(copy);
    }
    cell.out.dispatchEvent(new CustomEvent("live:shown", { bubbles: true }));
    if (/\\\(|\\\[|class="math/.test(cell.out.innerHTML)) window.MathJax?.typesetPromise?.([cell.out]);
  }

  let explained = false;
  function explain(cell) {
    if (explained) return;
    explained = true;
    const more = make("a", { href: about, textContent: "What is different here" });
    cell.out.before(make("p", { className: "live-note" },
      "Python runs in this page now. NumPy’s whole numbers have 32 bits here: a large sum in code of yours may overflow without a word, unless you name ",
      make("code", { textContent: "np.int64" }), ". The package counts exactly. ", more, "."));
  }

  // ---- editing ----

  function edit(cell) {
    if (cell.anchor.tagName === "DETAILS") cell.anchor.open = true;
    if (!cell.field) open(cell);
    cell.field.focus();
  }

  function open(cell) {
    const number = cell.index + 1;
    cell.code = cell.input.firstElementChild;
    cell.field = make("textarea", {
      value: cell.original, spellcheck: false, rows: 1, className: "live-field", autocapitalize: "off", autocomplete: "off",
      "aria-label": `Code of cell ${number}. Escape leaves it, Shift and Enter runs it.`,
    });
    cell.field.setAttribute("autocorrect", "off");
    const mirror = make("pre", { "aria-hidden": "true" });
    const colour = () => { mirror.innerHTML = `${Prism.highlight(cell.field.value, Prism.languages.python, "python")}\n`; };
    cell.field.addEventListener("input", () => { colour(); say(cell, ""); });
    cell.field.addEventListener("keydown", (event) => typed(event, cell));
    cell.editor = make("div", { className: "live-editor highlight" }, mirror, cell.field);
    colour();
    cell.code.hidden = true;
    cell.code.after(cell.editor);
    cell.edit.hidden = true;
    cell.restore.hidden = false;
  }

  // Prism's kinds of token, by the classes that the book's colours have.
  const KINDS = {
    comment: "c1", keyword: "k", boolean: "kc", number: "mi", string: "s2", "triple-quoted-string": "s2", "string-interpolation": "s2",
    function: "nf", "class-name": "nc", builtin: "nb", decorator: "nd", operator: "o", punctuation: "p",
  };

  globalThis.Prism?.hooks.add("wrap", (piece) => { piece.classes = [KINDS[piece.type] ?? "n"]; });

  function restore(cell) {
    if (cell.field) {
      cell.editor.remove();
      cell.field = cell.editor = null;
      cell.code.hidden = false;
    }
    cell.out.replaceChildren();
    cell.out.hidden = true;
    for (const node of cell.stored) node.hidden = false;
    cell.edit.hidden = false;
    cell.restore.hidden = true;
    say(cell, "");
    cell.edit.focus();
  }

  function typed(event, cell) {
    const { field } = cell;
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run(cell);
    } else if (event.key === "Escape") {
      cell.run.focus();
    } else if (event.key === "Tab" && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      indent(field, event.shiftKey);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      const line = field.value.slice(0, field.selectionStart).split("\n").at(-1);
      write(`\n${line.match(/^ */)[0]}${/:\s*(#.*)?$/.test(line) ? "    " : ""}`);
    }
  }

  const write = (words) => document.execCommand("insertText", false, words);  // so that undo knows of it

  function indent(field, less) {
    const { value, selectionStart: from, selectionEnd: to } = field;
    if (from === to && !less) { write(" ".repeat(4 - (from - value.lastIndexOf("\n", from - 1) - 1) % 4)); return; }
    const first = value.lastIndexOf("\n", from - 1) + 1;
    const before = value.slice(first, to);
    const after = before.replace(less ? /^ {1,4}/gm : /^(?=.)/gm, less ? "" : "    ");
    if (after === before) return;
    field.setSelectionRange(first, to);
    if (after) write(after); else document.execCommand("delete");
    field.setSelectionRange(from === to ? Math.max(first, from + after.length - before.length) : first, first + after.length);
  }

})();
