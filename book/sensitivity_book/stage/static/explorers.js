// Explorers: knobs over a picture. A page holds the frames of its settings, and shows the one that is chosen.
//
// Where the page can run Python a button stands beside. Once it is pressed the knobs ask Python for what the
// page does not hold, and a number may be typed where the argument is one. When Python stops or fails, the
// stored frames are back.
(() => {
  "use strict";

  const { make, ask, play } = Stage;
  const MODULE = "sensitivity_book.live.explorers";
  const MOST_KEPT = 50;  // computed frames of an explorer
  let made = 0;  // controls so far, for ids of their own

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
        const hint = make("span", { id: `explorer-hint-${made}`, textContent: `any from ${range.low} to ${range.high}`.replaceAll("-", "−") });
        field = make("input", {
          type: "number", min: range.low, max: range.high, step: range.whole ? 1 : "any", value: names[control.value],
          "aria-labelledby": `${label.id} ${hint.id}`,
        });
        field.addEventListener("change", () => { follow(); changed(); });
        control.closest(".knob").append(make("span", { className: "typed" }, field, hint));
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
    return { text, alt, picture: drawn.map((line) => line.replace(/§(\d+)/g, (_, style) => styles[style])).join("\n") };
  };

  // ---- One explorer ----

  play(".explorer", ({ root, find, each }) => {
    const store = find("script[type='application/json']"), frameAt = store && unpacked(JSON.parse(store.textContent));
    const sentence = find("[role=status]"), picture = find("[role=img]");
    const knobs = each(".knob :is(input, select)").map((control) => Knob(control, turn));
    const menus = knobs.every((knob) => knob.control.matches("select"));  // then every setting is stored
    const begin = make("button", { type: "button", textContent: "Compute any setting", hidden: !frameAt || menus });
    const stop = make("button", { type: "button", textContent: "Stop", hidden: true });
    const line = make("span", { role: "status" });
    if (window.live) sentence.before(make("p", { className: "compute" }, begin, stop, line));

    const name = root.id.replace(/^explorer-|-run-\d+$/g, ""), kept = new Map();
    let own = null;  // the field for records of the reader's own
    let ready = false;  // the fields are there, and Python answers
    let wanted = null, busy = false;

    const call = (what, chosen) => ask(`${MODULE}:${what}`, { explorer: name, ...chosen }, { line, stop, back: knobs[0].control, news: "Computing." });

    function settings() {
      const named = Object.fromEntries(knobs.map((knob) => [knob.argument, knob.name()]));
      return { settings: named, own: own?.value.trim() ?? "" };
    }

    async function computed(chosen) {
      const key = JSON.stringify(chosen);
      if (!kept.has(key)) kept.set(key, await call("frame", chosen));
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
      else open();
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
      const focused = document.activeElement === begin;
      begin.hidden = true;
      if (focused) knobs[0].control.focus({ preventScroll: true });
      try {
        addFields(await call("fields"));
      } catch (error) {
        fail(error);
      }
    }

    function addFields({ typed, own: asked }) {
      for (const knob of knobs) if (typed[knob.argument]) knob.type(typed[knob.argument]);
      if (asked) {
        made += 1;
        own = make("input", { type: "text", id: `explorer-own-${made}`, placeholder: asked.example, className: "own" });
        own.addEventListener("change", turn);
        const label = make("label", { htmlFor: own.id, textContent: asked.label });
        knobs.at(-1).control.closest(".knob").after(make("div", { className: "knob" }, label, own));
      }
      ready = true;
    }

    function fail(error) {
      wanted = null;
      line.textContent = error.message;
      if (frameAt) {
        line.textContent += `${/[.!?]$/.test(error.message) ? "" : "."} The stored settings are here.`;
        toStored();
      }  // an explorer without frames asks again at the next change
    }

    function toStored() {
      ready = begin.hidden = false;
      own?.parentElement.remove();
      own = null;
      for (const knob of knobs) knob.untype();
      turn();
    }

    begin.addEventListener("click", open);
    stop.addEventListener("click", () => window.live.stop());
    for (const knob of knobs) knob.control.addEventListener("input", () => { knob.turned(); turn(); });
    // A part of the picture may turn a knob: its choice "n=2" sets the knob n to the setting named 2.
    const choices = (part) => part.dataset.choice.replace("phone-", "").split(";").map((one) => one.split("="));
    const named = (argument) => knobs.find((knob) => knob.argument === argument);
    const choose = (part) => { for (const [argument, chosen] of part ? choices(part) : []) named(argument).set(chosen); turn(); };
    picture.addEventListener("click", ({ target }) => choose(target.closest("[data-choice]")));
    // And a panel of a picture on the page opens the explorer at its column and query.
    for (const part of document.querySelectorAll(".drawing > [data-choice]")) {
      if (!choices(part).every(([argument]) => named(argument))) continue;
      part.closest("svg").setAttribute("role", "group");
      for (const [what, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": choices(part).map(([, chosen]) => chosen) })) part.setAttribute(what, value);
      part.onclick = part.onkeydown = ({ key = "Enter" }) => {
        if (key !== "Enter") return;
        choose(part);
        root.scrollIntoView();
        knobs[1].control.focus({ preventScroll: true });
      };
    }
    return frameAt ? turn() : open();
  });
})();
