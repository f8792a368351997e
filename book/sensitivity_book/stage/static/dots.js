// Dots on a line that can be pulled: by mouse, by finger, by keyboard.
//
// A page holds <div class="dots" data-given="...">, written by sensitivity_book/stage/dots as a finished
// picture with its sentence. This script brings it to life and computes what it says, in whole
// numbers: a fraction is a pair [above, below]. Only the noise is computed in floating point.
(() => {
  "use strict";

  const { QUERIES, compare, apart, sum, sorted, digits, percent, reduced, decimals, text, listed, counted, laplace, make, place, axis, knob, play } = Stage;

  // ---- Groups of records, by their positions ----

  function groups(count, size, first = 0) {
    if (size === 0) return [[]];
    const list = [];
    for (let i = first; i <= count - size; i += 1) {
      for (const rest of groups(count, size - 1, i + 1)) list.push([i, ...rest]);
    }
    return list;
  }

  const total = (values, group) => sum(group.map((i) => values[i]));
  const withSum = (values, size, wanted) => groups(values.length, size).filter((group) => total(values, group) === wanted);

  // The groups that agree with what is decided: position → whether it is in.
  const agreeing = (all, decided) => all.filter((group) => [...decided].every(([i, inside]) => group.includes(i) === inside));

  // Who is in every one of these groups, and who is in none.
  const known = (some, count) => {
    const everyone = [...Array(count).keys()];
    return {
      everywhere: everyone.filter((i) => some.every((group) => group.includes(i))),
      nowhere: everyone.filter((i) => !some.some((group) => group.includes(i))),
    };
  };

  const oneIn = (share) => `1 in ${1 / share < 9.95 ? Number((1 / share).toFixed(1)) : Math.round(1 / share)}`;

  // ---- The games: how each begins, and what becomes of a pull ----

  // The mean of a group is published. Who is in? Each pull is answered by what the mean allows.
  function naming(view) {
    const { names, values, size, published } = view;
    const all = groups(values.length, size), fitting = withSum(values, size, published);
    const sums = (keep) => all.filter(keep).map((group) => total(values, group));
    let decided = new Map();

    function reason(i, inside) {
      const other = sums((group) => group.includes(i) !== inside);
      const least = Math.min(...other), most = Math.max(...other);
      const given = `${inside ? "without" : "with"} ${names[i]} the mean would be at`;
      if (least > published) return `${given} least ${text([least, size])}`;
      if (most < published) return `${given} most ${text([most, size])}`;
      return `${inside ? "every" : "no"} group with this mean has ${names[i]}`;
    }

    function show(sentence) {
      const left = agreeing(all, decided);
      names.forEach((_, i) => view.put(i, decided.has(i) ? (decided.get(i) ? "in" : "out") : "open"));
      view.sieve((group) => left.includes(group) ? (left.length === 1 ? "hit" : "") : "gone", all);
      view.say(left.length, left.length === 1 ? "group left" : "groups left", sentence);
    }

    return {
      begin() {
        decided = new Map();
        view.mean([published, size]);
        show("Pull up somebody you believe in: drag, click, or use the arrow keys.");
      },
      pull(i, up) {
        if (decided.has(i)) return show(`${names[i]} is settled: ${reason(i, decided.get(i))}.`);
        const having = fitting.filter((group) => group.includes(i)).length;
        if (having > 0 && having < fitting.length) {
          return show(`You cannot tell: of the ${fitting.length} groups with this mean, ${having} have ${names[i]}.`);
        }
        const inside = having > 0;
        decided.set(i, inside);
        let sentence = `${inside === up ? "Yes" : "No"}: ${reason(i, inside)}. ${names[i]} is ${inside ? "in" : "out"}.`;
        const left = agreeing(all, decided);
        if (left.length === 1) {
          names.forEach((_, j) => decided.set(j, left[0].includes(j)));
          sentence += ` One group is left: ${listed(left[0].map((j) => names[j]))}.`;
        }
        return show(sentence);
      },
    };
  }

  // Any group may be chosen: how many share its mean, and who is known all the same?
  function hiding(view) {
    const { names, values, size, opening } = view;
    const all = groups(values.length, size);
    let inside = new Set();

    function show() {
      const chosen = sorted(inside), own = total(values, chosen);
      const complete = chosen.length === size;
      const same = complete ? withSum(values, size, own) : [];
      const { everywhere, nowhere } = known(same, names.length);
      const sure = complete ? new Set(nowhere) : new Set();
      names.forEach((_, i) => view.put(i, inside.has(i) ? "in" : sure.has(i) ? "out" : "open"));
      view.sieve((group) => complete && total(values, group) === own ? "hit" : "", all);
      view.mean(complete ? [own, size] : null);
      if (!complete) {
        const missing = size - chosen.length;
        return view.say(chosen.length, `of ${size} in`, missing > 0 ? `Pull in ${missing} more.` : `Pull out ${-missing}.`);
      }
      const opens = `The mean is ${text([own, size])}.`;
      if (same.length === 1) return view.say(1, "group fits", `${opens} No other group has it: all six are named.`);
      const sentences = [opens];
      if (everywhere.length) sentences.push(`In every one of the ${same.length}: ${listed(everywhere.map((i) => names[i]))}.`);
      if (nowhere.length) sentences.push(`In none: ${listed(nowhere.map((i) => names[i]))}.`);
      if (sentences.length === 1) sentences.push("Nobody is certain to be in, and nobody to be out.");
      return view.say(same.length, "groups fit", sentences.join(" "));
    }

    return {
      live: true,
      begin() { inside = new Set(opening); show(); },
      pull(i, up) { inside[up ? "add" : "delete"](i); show(); },
    };
  }

  // The row in which a copy of a value stands: above those before it.
  function stacked() {
    const rows = new Map();
    return (value) => { rows.set(value, (rows.get(value) || 0) + 1); return rows.get(value) - 1; };
  }

  // A hunt for the widest gap between neighbours: records are pulled out of a dataset and into it, where they are
  // known, or along a scale. Outside a dataset a record has no value, null.
  function hunting(view) {
    const { names, values, scale, query, moves, most, claim, hint } = view;
    const along = Boolean(scale), everyone = [...names.keys()];
    const dataset = (given) => along ? [...given] : everyone.map((i) => given.includes(i) ? values[i] : null);
    const inside = (side) => side.filter((value) => value !== null);
    const answer = (side) => QUERIES[query](inside(side));
    const keepsSize = moves.every(([removed, added]) => removed === added);
    const size = inside(dataset(view.opening)).length;
    let base = [], current = [], pulled = [];  // values; positions, in the order they were pulled
    let record = [0, 1], choosing = false;  // another start is chosen, which is no hunt
    const left = () => pulled.filter((i) => base[i] !== null);
    const joined = () => pulled.filter((i) => current[i] !== null);
    const allowed = (more) => moves.some(([removed, added]) => more(removed - left().length, added - joined().length));
    const leadsOn = () => allowed((r, a) => r >= 0 && a >= 0);  // with more pulls, or none
    const isNeighbour = () => pulled.length > 0 && inside(current).length > 0 && allowed((r, a) => !r && !a);

    function draw() {
      if (!along) return everyone.forEach((i) => view.put(i, pulled.includes(i) ? (base[i] === null ? "added" : "removed") : base[i] === null ? "open" : "in"));
      const row = stacked();
      for (const i of everyone) {
        view.place(i, current[i], row(current[i]), pulled.includes(i) ? "added" : "in");
      }
      return view.ghosts(left().map((i) => [base[i], row(base[i])]));
    }

    function who() {
      const named = (some, side) => listed(some.map((i) => along ? side[i] : names[i]));
      const moved = listed(left().filter((i) => current[i] !== null).map((i) => `${base[i]} to ${current[i]}`));
      const out = named(left().filter((i) => current[i] === null), base), into = named(joined().filter((i) => base[i] === null), current);
      return [moved, out && `${out} out`, into && `${into} in`].filter(Boolean).join(", ");
    }

    const ways = () => [allowed((r, a) => !r && a > 0) && "in", allowed((r, a) => r > 0 && !a) && "out"].filter(Boolean).join(" or ");
    const say = (sentence) => view.say(decimals(record), "is your record", sentence);

    function reach(last) {
      const gap = apart(answer(current), answer(base));
      const sentence = `${who()}: the ${query} moves from ${text(answer(base))} to ${text(answer(current))}, by ${text(gap)}.`;
      view.mean(answer(current), answer(base));
      if (last) return view.say(decimals(most), "is the most there is", `${sentence} ${last}`);
      if (compare(gap, record) > 0) record = gap;
      return say(sentence);
    }

    function show(last) {
      draw();
      const missing = size - inside(base).length;
      if (missing) {
        view.mean(null);
        return say(missing > 0 ? `Pull in ${missing} more.` : `Pull out ${-missing}.`);
      }
      if (isNeighbour()) return reach(last);
      view.mean(answer(base));
      if (pulled.length) return say(`${who()}. Now pull another one ${ways()}.`);
      const start = along ? "Pull the records along the line: any are a start." : `Any ${size} records are a start.`;
      return say(`The ${query} is ${text(answer(base))}. ${choosing ? start : hint}`);
    }

    function from(start) { base = [...start]; current = [...start]; pulled = []; show(); }

    function pull(i, value) {
      if (choosing) {
        base[i] = value;
        return from(base);
      }
      if (value === current[i]) return undefined;
      current[i] = value;
      pulled = pulled.filter((j) => j !== i);
      if (value !== base[i]) pulled.push(i);
      while (!leadsOn()) {
        const many = base[i] === null ? joined() : left();  // the one that was pulled first goes back
        const back = many.length > 1 ? many[0] : pulled[0];
        current[back] = base[back];
        pulled = pulled.filter((j) => j !== back);
      }
      return show();
    }

    const hands = along ? { slide: pull, value: (i) => current[i] }
      : { live: true, pull: (i, up) => pull(i, up ? values[i] : null) };
    return {
      ...hands,
      begin() { record = [0, 1]; choosing = false; from(dataset(view.opening)); },
      actions: {
        choose() { choosing = true; from(base); },
        on() {
          if (choosing) choosing = inside(base).length !== size;
          else if (isNeighbour() && keepsSize) base = current;
          from(base);
        },
        most() {
          const last = `${claim} ${compare(record, most) === 0 ? "You had it." : `Your record is ${text(record)}.`}`;
          choosing = false;
          [base, current] = view.witness.map(dataset);
          pulled = everyone.filter((i) => base[i] !== current[i]);
          show(last);
        },
      },
    };
  }

  // The change of one record that moves the answer furthest: how far, which record, and to where.
  function farthest(query, values, scale) {
    const answer = QUERIES[query], here = answer(values);
    let best = { gap: [0, 1], record: 0, to: values[0] };
    values.forEach((_, record) => scale.forEach((to) => {
      const gap = apart(answer(values.map((value, i) => i === record ? to : value)), here);
      if (compare(gap, best.gap) > 0) best = { gap, record, to };
    }));
    return best;
  }

  // Records on a scale are pulled to any dataset: how far away is its furthest neighbour?
  function local(view) {
    const { scale, query, witness, ends, opening, hint } = view;
    const answer = QUERIES[query];
    let values = [], range = null;  // the dataset; the least and the most of those that were asked about

    function draw(change) {
      const row = stacked();
      const shown = values.map((value, i) => change && i === change.record ? change.to : value);
      shown.forEach((value, i) => view.place(i, value, row(value), value === values[i] ? "in" : "added"));
      view.ghosts(change ? [[values[change.record], row(values[change.record])]] : []);
      view.mean(answer(shown), change ? answer(values) : null);
      return shown;
    }

    function show() {
      draw(null);
      view.say("?", "is the local sensitivity", `The ${query} is ${text(answer(values))}. ${hint}`);
    }

    function tell(end) {
      const change = farthest(query, values, scale), none = !change.gap[0];
      const shown = draw(none ? null : change);
      const sentence = none
        ? `No change of one record moves the ${query} from ${text(answer(values))}.`
        : `${values[change.record]} to ${change.to}: the ${query} moves from ${text(answer(values))} to ${text(answer(shown))}, by ${text(change.gap)}.`;
      if (!end) {
        range = range || [change.gap, change.gap];
        if (compare(change.gap, range[0]) < 0) range[0] = change.gap;
        if (compare(change.gap, range[1]) > 0) range[1] = change.gap;
      }
      const yours = range ? ` Yours went from ${text(range[0])} to ${text(range[1])}.` : "";
      view.say(decimals(change.gap), "is the local sensitivity", `${sentence}${end ? ` ${end}` : ""}${yours}`);
    }

    return {
      begin() { values = [...opening]; range = null; show(); },
      value: (i) => values[i],
      slide(i, value) {
        if (value === null) return;
        values[i] = value;
        show();
      },
      actions: {
        ask() { tell(); },
        most() { values = [...witness[1]]; tell(ends[1]); },
        least() { values = [...witness[0]]; tell(ends[0]); },
      },
    };
  }

  // The error of a clipped and noisy sum, for each bound from 0: what clipping loses, the noise's
  // standard deviation and the root of their squares. `per` is 1/ε, a whole number.
  function clipped(counts, bound, per) {
    const above = counts.map((number, age) => age > bound ? number : 0);
    const bias = sum(above.map((number, age) => number * (age - bound)));
    const squared = bias * bias + 2 * (bound * per) ** 2;  // whole, and below 2^53
    return { people: sum(above), bias, noise: Math.SQRT2 * bound * per, squared, error: Math.sqrt(squared) };
  }

  // A bar for each age above the bound, as a path.
  const bars = (counts, bound) => counts.map((number, age) => age > bound && number
    ? `M${age - 0.5} 100V${(100 - 100 * number / Math.max(...counts)).toFixed(1)}h1V100z` : "").join("");

  // The clipping bound is pulled along the records: a low one loses years (or rows), a high one needs noise.
  function bounding(view) {
    const { scale, counts, per, epsilons, opening, claim, unit } = view;
    const written = (number) => Math.round(number).toLocaleString("en-GB");
    const last = scale.at(-1);
    const best = per.map((one) => scale.reduce((low, bound) => clipped(counts, bound, one).squared < clipped(counts, low, one).squared ? bound : low));
    let at = 0, bound = last, tried = [], shown = [];
    const part = (one) => clipped(counts, one, per[at]);
    const least = (some) => some.reduce((low, one) => part(one).squared < part(low).squared ? one : low);

    function draw(isHeld) {
      const now = part(bound), top = 4 * part(best[at]).error;  // the frame stands still while the bound is pulled
      const height = (lost) => (100 - 100 * lost / top).toFixed(1);
      const curve = (name) => shown[at] ? scale.map((one, i) => `${i ? "L" : "M"}${one} ${height(part(one)[name])}`).join("") : "";
      view.place(0, bound, 0, "in");
      view.dial(at, epsilons[at]);
      view.top(`${written(top)} ${unit}`);
      view.path("cut", bars(counts, bound));
      view.path("tries", tried[at].filter((one) => part(one).error <= top).map((one) => `M${one} ${height(part(one).error)}h0`).join(""));
      for (const name of ["bias", "noise", "error"]) {
        view.path(name, curve(name));
        view.spot(name, bound, isHeld ? null : now[name] / top);
      }
      return now;
    }

    function show(isHeld) {
      if (!isHeld && !shown[at] && !tried[at].includes(bound)) tried[at].push(bound);
      const now = draw(isHeld), people = `Bound ${bound} clips ${written(now.people)} people`;
      const own = least(tried[at].length ? tried[at] : [bound]), tries = counted(tried[at].length, "bound");
      const sentence = isHeld ? `${people}.` : `${people}: ${written(now.bias)} ${unit} lost, noise ${written(now.noise)}, together an error of ${written(now.error)}.`;
      if (shown[at] && bound === best[at]) {
        const yours = tried[at].includes(bound) ? `You had it, with ${tries} tried.` : `Your best of ${tries} is ${own}, with ${written(part(own).error)}.`;
        return view.say(written(now.error), "is the least error", `${sentence} ${claim} ${yours}`);
      }
      return view.say(written(part(own).error), `is your least error, ${tries} tried`, sentence);
    }

    return {
      begin() { tried = per.map(() => []); shown = []; at = opening; bound = last; show(); },
      turn(to) { at = to; show(); },
      value: () => bound,
      slide(_, value, isHeld) { if (value !== bound) { bound = value; show(isHeld); } },
      drop() { show(); },
      actions: { most() { shown[at] = true; bound = best[at]; show(); } },
    };
  }

  // Noise on the published mean: what the attacker believes of a group with each sum, on average over the noise,
  // comes with the page for each ε, and so do the first draws.
  function noisy(view) {
    const { values, size, published, most, draws, beliefs } = view, epsilons = view.epsilons.map(Number);
    const all = groups(values.length, size), mean = published / size;
    const sums = sorted(new Set(all.map((group) => total(values, group))));
    let at = epsilons.length - 1, drawn = [...draws];
    function show() {
      const epsilon = epsilons[at], own = beliefs[at], largest = Math.max(...own);
      const share = own[sums.indexOf(published)], scale = most[0] / most[1] / epsilon, said = mean + scale * drawn[at];
      const half = scale * Math.LN2, told = said.toFixed(2).replace("-", "−");
      view.shade((group) => own[sums.indexOf(total(values, group))] / largest, all);
      if (said === mean) view.mark(mean, String(mean));
      else view.mark(said, told, mean, [mean - half, mean + half]);
      view.dial(at, epsilon === Infinity ? "no noise" : String(epsilon));
      if (epsilon === Infinity) return view.say("1 in 1", "for the right six", "No noise: the attacker is certain.");
      return view.say(oneIn(share), "for the right six",
        `The school publishes ${told} days. To the attacker the right six have a chance of ${percent(share)}. Half of all draws fall within ${digits(half)} days of the true mean: the bar.`);
    }
    return {
      begin() { at = epsilons.length - 1; drawn = [...draws]; show(); },
      turn(to) { at = to; show(); },
      actions: {
        draw() {
          if (epsilons[at] === Infinity) at = epsilons.indexOf(1);
          drawn[at] = laplace();
          show();
        },
      },
    };
  }

  const GAMES = { naming, hiding, moving: hunting, sliding: hunting, local, bounding, noisy };

  // ---- Hands: a dot that is lifted over the line, and one that slides along it ----

  function liftable(pupils, game, isUp, line) {
    const lift = (i, up) => { if (isUp(i) !== up || !game.live) game.pull(i, up); };
    const enter = (i) => pupils.forEach((dot, j) => { dot.tabIndex = i === j ? 0 : -1; });  // one of all is reached by Tab
    pupils.forEach((dot, i) => {
      let answered = false;  // whether the click that may follow was answered already
      const toggle = () => { enter(i); game.pull(i, !isUp(i)); };
      knob(dot, {
        here: () => i,
        ends: [0, pupils.length - 1],
        go(to, key) {
          if (key === "ArrowUp" || key === "ArrowDown") return lift(i, key === "ArrowUp");
          if (to === undefined) return false;
          const next = (to + pupils.length) % pupils.length;
          enter(next);
          return pupils[next].focus();
        },
        take: (event) => ({ y: event.clientY, top: dot.offsetTop, moved: false }),  // where the pull began, and where the dot was
        pull({ clientY }, grip) {
          grip.moved ||= Math.abs(clientY - grip.y) > 5;
          if (!grip.moved) return;
          const { top, height } = line.getBoundingClientRect();
          grip.up = clientY < top + height / 2;
          if (game.live && grip.up !== isUp(i)) game.pull(i, grip.up);
          place(dot, { pull: `${clientY - grip.y - (dot.offsetTop - grip.top)}px` });
        },
        drop({ type }, { moved, up }) {
          dot.style.removeProperty("--pull");
          if (type !== "pointerup") return;
          answered = true;
          setTimeout(() => { answered = false; }, 400);
          if (!moved) toggle();
          else if (!game.live && up !== isUp(i)) game.pull(i, up);
        },
      });
      dot.addEventListener("click", () => {  // Enter, Space, a screen reader
        if (!answered) toggle();
        answered = false;
      });
    });
    enter(0);
  }

  function slidable(dot, game, i, scale, valueAt) {
    const nearest = (x) => scale.reduce((best, value) => Math.abs(value - x) < Math.abs(best - x) ? value : best);
    const last = scale.length - 1;
    knob(dot, {
      here: () => scale.indexOf(game.value(i)),
      ends: [0, last],
      go: (to) => to === undefined ? false : game.slide(i, scale[Math.min(Math.max(to, 0), last)]),
      pull: ({ clientX }) => game.slide(i, nearest(valueAt(clientX)), true),
      drop: () => game.drop?.(),
    });
  }

  // ---- A game on its page ----

  const STATES = { open: "not pulled in", in: "inside", out: "certainly not inside", removed: "pulled out", added: "pulled in" };

  const start = play(".dots", ({ root, find, each, say, turn }) => {
    const given = JSON.parse(root.dataset.given), pupils = each(".dot"), line = find(".line"), kinds = [];
    const { at, end, valueAt } = axis(...given.axis, line);
    const isUp = (i) => ["in", "added"].includes(kinds[i]);

    const view = {
      ...given,
      say,
      put(i, kind) {
        kinds[i] = kind;
        if (!pupils[i]) return;
        pupils[i].dataset.kind = kind;
        pupils[i].setAttribute("aria-pressed", String(isUp(i)));
        pupils[i].setAttribute("aria-label", `${pupils[i].dataset.label}: ${STATES[kind]}`);
      },
      place(i, value, row, kind) {  // a record on a scale
        show(i, kind, { at: at(value), row }, value, kind === "added" ? `${value}, pulled` : String(value));
        pupils[i].setAttribute("aria-valuenow", value);
      },
      ghosts(all) {  // where the pulled records were
        each(".ghost").forEach((one) => one.remove());
        find(".pupils").append(...all.map(([value, row]) => place(make("span", { className: "ghost" }, value), { at: at(value), row })));
      },
      mark(value, words, before = null, band = null) {  // the answer, the one before it, and a bar between them or of its own
        find(".mean").hidden = value === null;
        find(".before").hidden = find(".gap").hidden = before === null;
        if (value === null) return;
        place(find(".mean"), { at: end(value) });  // beyond the line it stands at its end
        find(".mean b").textContent = words;
        if (before === null) return;
        const [from, to] = (band ?? sorted([value, before])).map(end);
        place(find(".before"), { at: at(before) });
        place(find(".gap"), { from, to });
      },
      mean(fraction, before) {
        const [value, old] = [fraction, before].map((one) => one ? one[0] / one[1] : null);
        view.mark(value, fraction && decimals(reduced(fraction)), old);
      },
      path(name, d) { find(`path.${name}`).setAttribute("d", d); },
      spot(name, x, share) {  // a mark in the drawing above the line; an error above its frame stays at the top
        const spot = find(`.spot.${name}`), over = share > 1;
        spot.hidden = share === null || (over && name !== "error");
        spot.toggleAttribute("data-over", over);
        place(spot, { at: at(x), up: 100 * Math.min(share, 1) });
      },
      top(words) { find(".top").textContent = words; },
      sieve(kind, all) { each(".sieve rect").forEach((square, i) => { square.setAttribute("class", kind(all[i])); }); },
      shade(share, all) { each(".sieve rect").forEach((square, i) => { square.style.fillOpacity = 0.06 + 0.94 * share(all[i]); }); },
      dial: (value, words) => turn(value, words, words === "no noise" ? words : `ε = ${words}`),
    };

    function show(i, kind, where, shown, spoken) {
      const dot = pupils[i];
      dot.dataset.kind = kind;
      place(dot, where);
      dot.querySelector(".days").textContent = shown;
      dot.setAttribute("aria-valuetext", spoken);
    }

    const game = GAMES[given.game](view);
    if (game.slide) pupils.forEach((dot, i) => slidable(dot, game, i, given.scale, valueAt));
    else liftable(pupils, game, isUp, line);
    game.begin();
    return { actions: { begin: game.begin, ...game.actions }, dialled: game.turn };
  });

  globalThis.Dots = { start, farthest };
})();
