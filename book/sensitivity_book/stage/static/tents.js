// Two tents: Laplace noise on two neighbouring answers, to be pulled by mouse, finger and keyboard.
//
// A page holds <div class="tents">, written by sensitivity_book/stage/tents.py as a finished picture with
// its sentence. This script brings it to life. Answers are means of six, counted in sixths.
(function () {
  "use strict";

  const LOW = -5, HIGH = 15, TALLEST = 0.34, MOST = 60, NARROWEST = 3;
  const NAMES = ["Chris", "Rick"];
  const BEGIN = { one: 21, other: 40, epsilon: 1, x: 5, end: null, madeFor: null };
  const BOUNDS = { one: [0, MOST, 1 / 6, 6], other: [0, MOST, 1 / 6, 6], x: [10 * LOW, 10 * HIGH, 1 / 10, 10] };
  BOUNDS.end = BOUNDS.x;

  // ---- What is so: every number of a state ----

  // The chance of a stretch under a tent, both measured in scales from its answer.
  function chance(from, to) {
    if (from >= 0) return (Math.exp(-from) - Math.exp(-to)) / 2;
    if (to <= 0) return (Math.exp(to) - Math.exp(from)) / 2;
    return 1 - (Math.exp(from) + Math.exp(-to)) / 2;
  }

  function numbers({ one, other, epsilon, x, end, madeFor }) {
    const distance = Math.abs(one - other) / 6;
    const assumed = Math.max(madeFor === null ? Math.abs(one - other) : madeFor, NARROWEST) / 6;
    const scale = assumed / epsilon;
    const height = (answer, z) => Math.exp(-Math.abs(z - answer / 6) / scale) / (2 * scale);
    const isStretch = end !== null && end !== x, ends = isStretch ? [Math.min(x, end), Math.max(x, end)] : [x, x];
    const chances = [one, other].map((answer) => chance(...ends.map((z) => (z - answer / 6) / scale)));
    const loss = isStretch ? Math.log(chances[0] / chances[1])
      : (Math.abs(x - other / 6) - Math.abs(x - one / 6)) / scale;
    return {
      distance, assumed, scale, loss, isStretch, ends,
      sizes: isStretch ? chances : [height(one, x), height(other, x)],
      heights: (z) => [height(one, z), height(other, z)],
      lengths: [100 * Math.exp(Math.min(loss, 0)), 100 * Math.exp(Math.min(-loss, 0))],
      least: 100 * Math.exp(-epsilon),
      belief: 1 / (1 + Math.exp(-loss)),
      mostBelief: 1 / (1 + Math.exp(-epsilon)),
      mostLoss: distance / scale,
      isKept: distance / scale <= epsilon * (1 + 1e-9),
      holdsHere: Math.abs(loss) <= epsilon * (1 + 1e-9),
    };
  }

  // ---- What is said ----

  const short = (number) => String(Number(number.toPrecision(3)));
  const times = (logarithm) => logarithm < Math.log(999) ? short(Math.exp(logarithm)) : "over 999";
  const minus = (number) => short(number).replace("-", "−");
  const percent = (share) => share > 0.999 ? "over 99.9 %" : share < 0.001 ? "under 0.1 %" : `${short(100 * share)} %`;

  function words(state) {
    const of = numbers(state), ratio = times(Math.abs(of.loss)), limit = times(state.epsilon);
    const likelier = NAMES[of.belief < 0.5 ? 1 : 0], given = percent(Math.max(of.belief, 1 - of.belief)), belief = `puts ${given} on ${likelier}`;
    return {
      big: ratio,
      what: ratio === "1" ? "time as likely: no difference" : `times as likely with ${likelier}`,
      sentence: (of.isStretch
        ? `A number from ${minus(of.ends[0])} to ${minus(of.ends[1])} has the chance ${percent(of.sizes[0])} with Chris, ${percent(of.sizes[1])} with Rick. ` : "")
        + (of.isKept
        ? `At most ${limit} times is allowed, at every number. An attacker who began at 50 : 50 now ${belief}; the promise caps her at ${percent(of.mostBelief)}.`
        : of.holdsHere
        ? `Broken, though not here: at most ${limit} times was promised, and outside both answers it is ${times(of.mostLoss)}. Here the attacker ${belief}.`
        : `Broken: at most ${limit} times was promised. The attacker ${belief}, where ${percent(of.mostBelief)} was to be the most.`),
      facts: `gap ${short(of.distance)} days · noise made for a gap of ${short(of.assumed)}: scale ${short(of.assumed)} / ${short(state.epsilon)} = ${short(of.scale)} days`,
    };
  }

  // ---- What is drawn ----

  const at = (x) => (Math.min(Math.max(x, LOW), HIGH) - LOW) / (HIGH - LOW) * 100;
  const down = (height) => 100 * (1 - Math.min(height / TALLEST, 4));

  // A tent, or the part of it over a stretch.
  function outline(state, which, from = LOW, to = HIGH) {
    const centre = [state.one, state.other][which] / 6, { heights } = numbers(state);
    const grid = [centre, from, to];
    for (let i = 0; i <= 20 * (HIGH - LOW); i += 1) grid.push(LOW + i / 20);
    const points = grid.filter((x) => from <= x && x <= to).sort((a, b) => a - b).map((x) => `${(10 * (x - LOW)).toFixed(2)} ${down(heights(x)[which]).toFixed(2)}`);
    return `M${2 * at(from)} 100L${points.join("L")}L${2 * at(to)} 100Z`;
  }

  // A number that may be published with Chris, to a tenth of a day. For looking at only: to hide
  // people takes a sampler that was made for it.
  function drawn(state) {
    const side = Math.random() - 0.5, { scale } = numbers(state);
    const noise = -scale * Math.sign(side) * Math.log(1 - 2 * Math.abs(side));
    return Math.round(10 * (state.one / 6 + noise)) / 10;
  }

  // ---- Hands ----

  // A knob that is pulled along the line: `value` in steps of `step` days.
  function pulled(part, key, state, show, valueAt) {
    const [least, most, step, leap] = BOUNDS[key];
    const isNumber = key === "x" || key === "end";
    const days = () => isNumber ? Math.round(state[key] * 10) : state[key];
    const set = (count) => {
      const whole = Math.min(Math.max(Math.round(count), least), most);
      state[key] = isNumber ? whole / 10 : whole;
      show();
    };
    let grip = null;  // how far from its middle the knob is held
    part.tabIndex = 0;
    part.removeAttribute("aria-disabled");
    part.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      grip = valueAt(event.clientX) - days() * step;
      part.setPointerCapture(event.pointerId);
      event.stopPropagation();
    });
    part.addEventListener("pointermove", (event) => { if (grip !== null) set((valueAt(event.clientX) - grip) / step); });
    for (const end of ["pointerup", "pointercancel"]) part.addEventListener(end, () => { grip = null; });
    part.addEventListener("keydown", (event) => {
      const next = {
        ArrowLeft: days() - 1, ArrowDown: days() - 1, ArrowRight: days() + 1, ArrowUp: days() + 1,
        PageDown: days() - leap, PageUp: days() + leap, Home: least, End: most,
      }[event.key];
      if (next === undefined) return;
      set(next);
      event.preventDefault();
    });
    return set;
  }

  // ---- The picture on its page ----

  function start(root) {
    if (root.dataset.live) return;
    const find = (css) => root.querySelector(css), each = (css) => [...root.querySelectorAll(css)];
    const state = { ...BEGIN };
    let draws = [];  // numbers that were published at these settings
    const stage = find(".stage"), dial = find("input[type=range]"), follows = find("[name=follows]"), stretch = find("[name=stretch]");
    const knobs = { one: find(".dot.one"), other: find(".dot.other"), x: find(".published"), end: find(".published.end") };
    const valueAt = (clientX) => {
      const { left, width } = stage.getBoundingClientRect();
      return LOW + (clientX - left) / width * (HIGH - LOW);
    };

    let settings = "";
    function show() {
      const of = numbers(state), said = words(state), now = `${state.one} ${of.scale}`;
      if (now !== settings) { draws = []; settings = now; }
      find(".rug").setAttribute("d", draws.map((x) => `M${2 * at(x)} 100v-5`).join(""));
      find(".big b").textContent = said.big;
      find(".big span").textContent = ` ${said.what}`;
      find(".sentence").textContent = said.sentence;
      find(".facts").textContent = said.facts;
      root.dataset.kept = of.isKept ? "yes" : "no";
      dial.value = state.epsilon;
      dial.setAttribute("aria-valuetext", `ε = ${short(state.epsilon)}`);
      find("output").textContent = short(state.epsilon);
      follows.checked = state.madeFor === null;

      stretch.checked = state.end !== null;
      knobs.end.hidden = state.end === null;
      each(".tent").forEach((path, i) => path.setAttribute("d", outline(state, i)));
      each(".area").forEach((path, i) => path.setAttribute("d", of.isStretch ? outline(state, i, ...of.ends) : ""));
      each(".pole").forEach((pole, i) => {
        pole.hidden = of.isStretch;
        pole.style.setProperty("--at", at(state.x));
        pole.style.setProperty("--high", 100 - Math.max(down(of.heights(state.x)[i]), 0));
      });
      const values = { one: state.one / 6, other: state.other / 6, x: state.x, end: state.end || 0 };
      for (const [key, knob] of Object.entries(knobs)) {
        knob.style.setProperty("--at", at(values[key]));
        knob.setAttribute("aria-valuenow", short(values[key]));
      }
      const first = state.x <= state.end;
      knobs.end.querySelector("b").textContent = `${first ? "to" : "from"} ${minus(values.end)}`;
      knobs.x.querySelector("b").textContent = state.end !== null ? `${first ? "from" : "to"} ${minus(state.x)}` : state.x < LOW ? `← x = ${minus(state.x)}` : state.x > HIGH ? `x = ${minus(state.x)} →` : `x = ${minus(state.x)}`;
      [knobs.one, knobs.other].forEach((knob, i) => {
        knob.querySelector("b").textContent = `${NAMES[i]} ${short([values.one, values.other][i])}`;
      });
      find(".gap").style.setProperty("--from", at(Math.min(values.one, values.other)));
      find(".gap").style.setProperty("--to", at(Math.max(values.one, values.other)));

      each(".bar").forEach((bar, i) => bar.style.setProperty("--long", of.lengths[i]));
      each(".bars :is(.one, .other) b").forEach((b, i) => { b.textContent = short(of.sizes[i]); });
      each(".least").forEach((mark) => mark.style.setProperty("--at", of.least));
      find(".allowed").style.setProperty("--from", 100 * (1 - of.mostBelief));
      find(".allowed").style.setProperty("--to", 100 * of.mostBelief);
      find(".belief").style.setProperty("--at", 100 * (1 - of.belief));
    }

    const setters = Object.entries(knobs).map(([key, knob]) => [key, pulled(knob, key, state, show, valueAt)]);
    const set = Object.fromEntries(setters);
    const setX = (z) => {  // the end that is nearer comes
      const isEnd = state.end !== null && Math.abs(z - 10 * state.end) < Math.abs(z - 10 * state.x);
      (isEnd ? set.end : set.x)(z);
    };
    let held = false;  // anywhere over the tents, the published number comes to the finger
    find("svg").addEventListener("pointerdown", (event) => {
      if (event.button) return;
      held = true;
      event.target.closest("svg").setPointerCapture(event.pointerId);
      setX(10 * valueAt(event.clientX));
    });
    find("svg").addEventListener("pointermove", (event) => { if (held) setX(10 * valueAt(event.clientX)); });
    for (const end of ["pointerup", "pointercancel"]) find("svg").addEventListener(end, () => { held = false; });
    dial.addEventListener("input", () => { state.epsilon = Number(dial.value); show(); });
    follows.addEventListener("change", () => {
      state.madeFor = follows.checked ? null : Math.round(6 * numbers(state).assumed);
      show();
    });
    stretch.addEventListener("change", () => {
      state.x = Math.min(Math.max(state.x, LOW), HIGH);
      state.end = stretch.checked ? Math.round(10 * (state.x + (state.x > HIGH - 3 ? -3 : 3))) / 10 : null;
      show();
    });
    find("[data-action=draw]").addEventListener("click", () => {
      state.x = drawn(state);
      state.end = null;
      draws.push(state.x);
      show();
    });
    find("[data-action=begin]").addEventListener("click", () => {
      draws = [];
      Object.assign(state, BEGIN);
      show();
    });
    each("input, button").forEach((control) => { control.disabled = false; });
    root.dataset.live = "yes";
    show();
  }

  globalThis.Tents = { start, numbers, words, outline };
  document.querySelectorAll(".tents").forEach(start);
})();
