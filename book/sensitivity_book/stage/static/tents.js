// Two tents: Laplace noise on two neighbouring answers, to be pulled by mouse, finger and keyboard.
//
// A page holds <div class="tents">, written by sensitivity_book/stage/tents.py as a finished picture with
// its sentence. This script brings it to life. Answers are means of six, counted in sixths.
(() => {
  "use strict";

  const { digits, percent, laplace, place, axis, held, knob, play } = Stage;

  const LOW = -5, HIGH = 15, TALLEST = 0.34, MOST = 60, NARROWEST = 3;
  const NAMES = ["Chris", "Rick"];
  const BEGIN = { one: 21, other: 40, epsilon: 1, x: 5, end: null, madeFor: null };
  const SIXTHS = { ends: [0, MOST], per: 6, read: (state, key) => state[key], write: (count) => count };
  const TENTHS = {
    ends: [10 * LOW, 10 * HIGH], per: 10, read: (state, key) => Math.round(10 * state[key]), write: (count) => count / 10,
  };
  const STEPS = { one: SIXTHS, other: SIXTHS, x: TENTHS, end: TENTHS };

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

  const times = (logarithm) => logarithm < Math.log(999) ? digits(Math.exp(logarithm)) : "over 999";

  function words(state) {
    const of = numbers(state), ratio = times(Math.abs(of.loss)), limit = times(state.epsilon);
    const likelier = NAMES[of.belief < 0.5 ? 1 : 0], given = percent(Math.max(of.belief, 1 - of.belief)), belief = `puts ${given} on ${likelier}`;
    return {
      big: ratio,
      what: ratio === "1" ? "time as likely: no difference" : `times as likely with ${likelier}`,
      sentence: (of.isStretch
        ? `A number from ${digits(of.ends[0])} to ${digits(of.ends[1])} has the chance ${percent(of.sizes[0])} with Chris, ${percent(of.sizes[1])} with Rick. ` : "")
        + (of.isKept
        ? `At most ${limit} times is allowed, at every number. An attacker who began at 50 : 50 now ${belief}; the promise caps her at ${percent(of.mostBelief)}.`
        : of.holdsHere
        ? `Broken, though not here: at most ${limit} times was promised, and outside both answers it is ${times(of.mostLoss)}. Here the attacker ${belief}.`
        : `Broken: at most ${limit} times was promised. The attacker ${belief}, where ${percent(of.mostBelief)} was to be the most.`),
      facts: `gap ${digits(of.distance)} days · noise made for a gap of ${digits(of.assumed)}: scale ${digits(of.assumed)} / ${digits(state.epsilon)} = ${digits(of.scale)} days`,
    };
  }

  // ---- What is drawn ----

  const down = (height) => 100 * (1 - Math.min(height / TALLEST, 4));

  // A tent, or the part of it over a stretch.
  function outline(state, which, from = LOW, to = HIGH) {
    const centre = [state.one, state.other][which] / 6, { heights } = numbers(state);
    const grid = [centre, from, to];
    for (let i = 0; i <= 20 * (HIGH - LOW); i += 1) grid.push(LOW + i / 20);
    const points = grid.filter((x) => from <= x && x <= to).sort((a, b) => a - b).map((x) => `${(10 * (x - LOW)).toFixed(2)} ${down(heights(x)[which]).toFixed(2)}`);
    return `M${10 * (from - LOW)} 100L${points.join("L")}L${10 * (to - LOW)} 100Z`;
  }

  // A number that may be published with Chris, to a tenth of a day.
  const drawn = (state) => Math.round(10 * (state.one / 6 + numbers(state).scale * laplace())) / 10;

  // ---- The picture on its page ----

  const start = play(".tents", ({ root, find, each, say, turn }) => {
    const state = { ...BEGIN }, line = axis(LOW, HIGH, find(".stage"));
    let draws = [], settings = "";  // numbers that were published, and at which settings
    const knobs = { one: find(".dot.one"), other: find(".dot.other"), x: find(".published"), end: find(".published.end") };

    function show() {
      const of = numbers(state), said = words(state), now = `${state.one} ${of.scale}`;
      if (now !== settings) { draws = []; settings = now; }
      say(said.big, said.what, said.sentence);
      find(".facts").textContent = said.facts;
      root.dataset.kept = of.isKept ? "yes" : "no";
      turn(state.epsilon, digits(state.epsilon), `ε = ${digits(state.epsilon)}`);
      find("[name=follows]").checked = state.madeFor === null;
      find("[name=stretch]").checked = state.end !== null;
      draw(of);
      name({ one: state.one / 6, other: state.other / 6, x: state.x, end: state.end || 0 });
    }

    function draw(of) {
      find(".rug").setAttribute("d", draws.map((x) => `M${2 * line.end(x)} 100v-5`).join(""));
      each(".tent").forEach((path, i) => { path.setAttribute("d", outline(state, i)); });
      each(".area").forEach((path, i) => { path.setAttribute("d", of.isStretch ? outline(state, i, ...of.ends) : ""); });
      each(".pole").forEach((pole, i) => {
        pole.hidden = of.isStretch;
        place(pole, { at: line.end(state.x), high: 100 - Math.max(down(of.heights(state.x)[i]), 0) });
      });
      place(find(".gap"), { from: line.end(Math.min(state.one, state.other) / 6), to: line.end(Math.max(state.one, state.other) / 6) });
      each(".bar").forEach((bar, i) => { place(bar, { long: of.lengths[i] }); });
      each(".bars :is(.one, .other) b").forEach((b, i) => { b.textContent = digits(of.sizes[i]); });
      for (const mark of each(".least")) place(mark, { at: of.least });
      place(find(".allowed"), { from: 100 * (1 - of.mostBelief), to: 100 * of.mostBelief });
      place(find(".belief"), { at: 100 * (1 - of.belief) });
    }

    // Each knob stands at its value, and says it.
    function name(values) {
      const isFirst = state.x <= state.end, x = digits(state.x);
      const alone = state.x < LOW ? `← x = ${x}` : state.x > HIGH ? `x = ${x} →` : `x = ${x}`;
      const names = {
        one: `${NAMES[0]} ${digits(values.one)}`, other: `${NAMES[1]} ${digits(values.other)}`,
        x: state.end === null ? alone : `${isFirst ? "from" : "to"} ${x}`,
        end: `${isFirst ? "to" : "from"} ${digits(values.end)}`,
      };
      knobs.end.hidden = state.end === null;
      for (const [key, part] of Object.entries(knobs)) {
        place(part, { at: line.end(values[key]) });
        part.setAttribute("aria-valuenow", Number(values[key].toPrecision(3)));
        part.querySelector("b").textContent = names[key];
      }
    }

    function set(key, count) {
      const { ends: [least, most], write } = STEPS[key];
      state[key] = write(Math.min(Math.max(Math.round(count), least), most));
      show();
    }

    for (const [key, part] of Object.entries(knobs)) {
      const { ends, per, read } = STEPS[key];
      knob(part, {  // it is held as far from its middle as it was taken
        here: () => read(state, key),
        ends,
        leap: per,
        go: (to) => to !== undefined && set(key, to),
        take: (event) => line.valueAt(event.clientX) - read(state, key) / per,
        pull: (event, off) => set(key, per * (line.valueAt(event.clientX) - off)),
      });
    }
    const come = (event) => {  // anywhere over the tents, the nearer end comes to the finger
      const z = line.valueAt(event.clientX);
      set(state.end !== null && Math.abs(z - state.end) < Math.abs(z - state.x) ? "end" : "x", 10 * z);
    };
    held(find("svg"), { take: (event) => { come(event); return true; }, pull: come });
    find("[name=follows]").addEventListener("change", ({ target }) => {
      state.madeFor = target.checked ? null : Math.round(6 * numbers(state).assumed);
      show();
    });
    find("[name=stretch]").addEventListener("change", ({ target }) => {
      state.x = Math.min(Math.max(state.x, LOW), HIGH);
      state.end = target.checked ? Math.round(10 * (state.x + (state.x > HIGH - 3 ? -3 : 3))) / 10 : null;
      show();
    });
    show();
    return {
      dialled(epsilon) { state.epsilon = epsilon; show(); },
      actions: {
        draw() {
          state.x = drawn(state);
          state.end = null;
          draws.push(state.x);
          show();
        },
        begin() { draws = []; Object.assign(state, BEGIN); show(); },
      },
    };
  });

  globalThis.Tents = { start, numbers, words, outline };
})();
