// Explorers: knobs over a picture. A page holds the frames of its settings, and shows the one that is chosen.
//
// Where the page can run Python a button stands beside. Once it is pressed the knobs ask Python for what the
// page does not hold, and a number may be typed where the argument is one. When Python stops or fails, the
// stored frames are back. What a cell shows when it is run here comes alive too: explorers, dots and tents.
(() => {
  "use strict";

  const MODULE = "sensitivity_book.live.explorers";
  const MOST_KEPT = 50;  // computed frames of an explorer
  const PATIENCE = 300;  // ms until a computation is called one
  const known = new WeakSet();  // what is alive in the outputs of cells
  let made = 0;  // controls so far, for ids of their own

  function element(name, properties = {}, ...children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  }

  // ---- One knob: a menu, or a slider beside which a number may be typed ----

  function Knob(control, changed) {
    const stored = control.dataset.options ? JSON.parse(control.dataset.options) : [...control.options].map((option) => option.text);
    const label = control.closest(".knob").querySelector("label");
    const said = control.matches("[type=range]") ? control.nextElementSibling : null;
    let names = stored, field = null;

    const name = () => field ? field.value.trim() : names[control.value];
    function tell() {
      if (!said) return;
      said.textContent = name();
      control.setAttribute("aria-valuetext", name());
    }
    function place(all, chosen) {  // the slider over these settings, at one of them
      names = all;
      control.max = names.length - 1;
      control.value = names.indexOf(chosen);
    }
    function follow() {  // a typed number becomes a setting of the slider
      if (field.value && field.checkValidity()) {
        const same = stored.find((one) => Number(one) === Number(field.value));
        if (same) place(stored, same);
        else place([...stored, field.value].sort((a, b) => a - b), field.value);
      }
      tell();
    }

    return {
      control,
      name,
      argument: control.name,
      place: () => +control.value,
      count: +control.dataset.count,
      turned() {  // the slider or the menu was moved
        if (field) field.value = names[control.value];
        tell();
      },
      set(chosen) {
        if (field) { field.value = chosen; follow(); }
        else if (stored.includes(chosen)) { control.value = stored.indexOf(chosen); tell(); }
      },
      type(range) {  // let a number of the range be typed
        made += 1;
        label.id ||= `explorer-label-${made}`;
        const hint = element("span", { id: `explorer-hint-${made}`, textContent: `any from ${range.low} to ${range.high}`.replaceAll("-", "−") });
        field = element("input", { type: "number", min: range.low, max: range.high, step: range.whole ? 1 : "any", value: names[control.value] });
        field.setAttribute("aria-labelledby", `${label.id} ${hint.id}`);
        field.addEventListener("change", () => { follow(); changed(); });
        control.closest(".knob").append(element("span", { className: "typed" }, field, hint));
      },
      untype() {
        if (!field) return;
        const distances = stored.map((one) => Math.abs(one - names[control.value]));
        place(stored, stored[distances.indexOf(Math.min(...distances))]);
        field.parentElement.remove();
        field = null;
      },
    };
  }

  // ---- The frames of a page: a sentence, the picture in words, and runs of numbered lines of SVG ----

  const unpacked = ({ styles, lines, frames }) => (at) => {
    const [text, alt, runs] = frames[at];
    const drawn = runs.flatMap((first, i) => i % 2 ? [] : lines.slice(first, first + runs[i + 1]));
    return { text, alt, picture: drawn.map((line) => line.replace(/§(\d+)/, (_, style) => styles[style])).join("\n") };
  };

  // ---- One explorer ----

  function start(root, name) {
    const store = root.querySelector("script[type='application/json']");
    const frameAt = store && unpacked(JSON.parse(store.textContent));
    const sentence = root.querySelector("[role=status]");
    const picture = root.querySelector("[role=img]");
    const knobs = [...root.querySelectorAll(".knob :is(input, select)")].map((control) => Knob(control, turn));
    const menus = knobs.every((knob) => knob.control.matches("select"));  // then every setting is stored
    const begin = element("button", { type: "button", textContent: "Compute any setting", hidden: !frameAt || menus });
    const stop = element("button", { type: "button", textContent: "Stop", hidden: true });
    const line = element("span");
    line.setAttribute("role", "status");
    if (window.live) sentence.before(element("p", { className: "compute" }, begin, stop, line));

    const kept = new Map();
    let own = null;  // the field for records of the reader's own
    let ready = false;  // the fields are there, and Python answers
    let wanted = null, busy = false;

    function swap(shown, hidden) {  // a hidden button does not keep the focus
      const focused = document.activeElement === hidden;
      if (shown) shown.hidden = false;
      hidden.hidden = true;
      if (focused) (shown ?? knobs[0].control).focus({ preventScroll: true });
    }

    // What takes long has a line that says how it goes on, and a way to end it.
    async function ask(what, chosen) {
      let news = "Computing.", slow = false;
      const tell = () => { if (slow) line.textContent = news; };
      const late = setTimeout(() => {
        slow = true;
        stop.hidden = false;
        tell();
      }, PATIENCE);
      line.textContent = "";
      try {
        return await window.live.call(`${MODULE}:${what}`, { explorer: name, ...chosen }, (text) => { news = text; tell(); });
      } finally {
        clearTimeout(late);
        slow = false;
        line.textContent = "";
        if (!stop.hidden) swap(null, stop);
      }
    }

    function settings() {
      const named = Object.fromEntries(knobs.map((knob) => [knob.argument, knob.name()]));
      return { settings: named, own: own?.value.trim() ?? "" };
    }

    async function computed(chosen) {
      const key = JSON.stringify(chosen);
      if (!kept.has(key)) kept.set(key, await ask("frame", chosen));
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
      return kept.get(key);
    }

    function show(frame) {
      sentence.style.minHeight = `${sentence.offsetHeight}px`;  // a shorter sentence leaves the picture where it is
      sentence.textContent = frame.refused ?? frame.text;
      picture.hidden = "refused" in frame;
      if (picture.hidden) return;
      picture.innerHTML = frame.picture;
      picture.setAttribute("aria-label", frame.alt);
    }

    // What the knobs say is shown: of the page's frames, or computed.
    function turn() {
      if (ready) update();
      else if (frameAt) show(frameAt(knobs.reduce((at, knob) => at * knob.count + knob.place(), 0)));
    }

    // One setting is computed at a time; of those chosen meanwhile the last one is next.
    async function update() {
      wanted = settings();
      if (busy) return;
      busy = true;
      try {
        while (wanted) {
          const chosen = wanted;
          wanted = null;
          const frame = await computed(chosen);
          if (!wanted) show(frame);
        }
      } catch (error) {
        fail(error);
      } finally {
        busy = false;
      }
    }

    async function open() {
      swap(stop, begin);
      try {
        addFields(await ask("fields"));
      } catch (error) {
        fail(error);
      }
    }

    function addFields({ typed, own: asked }) {
      for (const knob of knobs) if (typed[knob.argument]) knob.type(typed[knob.argument]);
      if (asked) {
        made += 1;
        own = element("input", { type: "text", id: `explorer-own-${made}`, placeholder: asked.example, className: "own" });
        own.addEventListener("change", turn);
        const label = element("label", { htmlFor: own.id, textContent: asked.label });
        knobs.at(-1).control.closest(".knob").after(element("div", { className: "knob" }, label, own));
      }
      wake();
      ready = true;
    }

    function wake() {
      for (const { control } of knobs) control.disabled = false;
    }

    function fail(error) {
      wanted = null;
      line.textContent = error.message;
      if (frameAt) {
        line.textContent += `${/[.!?]$/.test(error.message) ? "" : "."} The stored settings are here.`;
        toStored();
      }
      begin.hidden = ready;  // an explorer without frames asks again at the next change
    }

    function toStored() {
      ready = false;
      own?.parentElement.remove();
      own = null;
      for (const knob of knobs) knob.untype();
      turn();
    }

    begin.addEventListener("click", open);
    stop.addEventListener("click", () => window.live.stop());
    for (const knob of knobs) knob.control.addEventListener("input", () => { knob.turned(); turn(); });
    // A part of the picture may turn a knob: its choice "n=2" sets the knob n to the setting named 2.
    picture.addEventListener("click", (event) => {
      const part = event.target.closest("[data-choice]");
      if (!part) return;
      const [, argument, chosen] = part.dataset.choice.match(/(.*?)=(.*)/);
      knobs.find((knob) => knob.argument === argument).set(chosen);
      turn();
    });
    if (!frameAt) return open();
    wake();
    return turn();
  }

  // ---- What a cell shows when it is run ----

  // The stored output stays in the page, hidden: what takes its place has ids of its own.
  function nameApart(root) {
    made += 1;
    const place = `-run-${made}`;
    for (const node of [root, ...root.querySelectorAll("[id]")]) if (!node.closest("svg")) node.id += place;
    for (const node of root.querySelectorAll("[for]")) node.setAttribute("for", node.getAttribute("for") + place);
  }

  const KINDS = {
    ".explorer": (root) => {
      const name = root.id.replace("explorer-", "");
      nameApart(root);
      start(root, name);
    },
    ".dots": (root) => { nameApart(root); globalThis.Dots?.start(root); },
    ".tents": (root) => { nameApart(root); globalThis.Tents?.start(root); },
  };

  function welcome(output) {
    for (const [kind, bring] of Object.entries(KINDS)) {
      for (const root of output.querySelectorAll(kind)) {
        if (known.has(root)) continue;
        known.add(root);
        bring(root);
      }
    }
  }

  document.addEventListener("DOMContentLoaded", () => {  // `live` is there by then
    for (const root of document.querySelectorAll(".explorer")) start(root, root.id.replace("explorer-", ""));
  });
  document.addEventListener("live:shown", ({ target }) => welcome(target));
})();
