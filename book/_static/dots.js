// Dots on a line that can be pulled: by mouse, by finger, by keyboard.
//
// A page holds <div class="dots" data-game="...">, written by sensitivity_book/dots as a finished
// picture with its sentence. This script brings it to life and computes what it says, in whole
// numbers: a fraction is a pair [above, below]. Only the noise is computed in floating point.
(function () {
  "use strict";

  // ---- Fractions ----

  const gcd = (a, b) => (b ? gcd(b, a % b) : Math.abs(a));
  const reduced = ([a, b]) => [a / (gcd(a, b) || 1), b / (gcd(a, b) || 1)];
  const compare = ([a, b], [c, d]) => a * d - c * b;
  const apart = ([a, b], [c, d]) => reduced([Math.abs(a * d - c * b), b * d]);
  const isShort = ([, b]) => 100 % b === 0;  // ends after two decimals
  const decimals = ([a, b]) => {
    const hundredths = Math.floor((200 * a + b) / (2 * b));
    return isShort([a, b]) ? String(hundredths / 100) : (hundredths / 100).toFixed(2);
  };
  const text = (fraction) => {
    const [a, b] = reduced(fraction);
    return isShort([a, b]) ? decimals([a, b]) : `${a}/${b}\u00a0≈\u00a0${decimals([a, b])}`;
  };

  // ---- Groups of records, by their positions ----

  function groups(count, size, first = 0) {
    if (size === 0) return [[]];
    const list = [];
    for (let i = first; i <= count - size; i += 1) {
      for (const rest of groups(count, size - 1, i + 1)) list.push([i, ...rest]);
    }
    return list;
  }

  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
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

  // ---- Queries: from values to a fraction ----

  const sorted = (values) => [...values].sort((a, b) => a - b);
  const middle = (values) => (n => [sorted(values)[Math.floor((n - 1) / 2)] + sorted(values)[Math.floor(n / 2)], 2])(values.length);
  const QUERIES = {
    mean: (values) => reduced([sum(values), values.length]),
    median: (values) => reduced(middle(values)),
    sum: (values) => [sum(values), 1],
    minimum: (values) => [Math.min(...values), 1],
    maximum: (values) => [Math.max(...values), 1],
    count: (values) => [values.length, 1],
  };

  // ---- Relations: whether a neighbour may have lost `r` records and have `a` new ones ----

  const RELATIONS = {
    Add: (k, r, a) => r === 0 && a === k,
    Remove: (k, r, a) => r === k && a === 0,
    AddRemove: (k, r, a) => (r === 0 && a === k) || (r === k && a === 0),
    SymmetricDifference: (k, r, a) => r + a <= k,
    Change: (k, r, a) => r === a && r <= k,
  };
  const legal = (relation, k, r, a) => RELATIONS[relation](k, r, a);
  const leadsOn = (relation, k, r, a) => {  // whether more pulls, or none, make a neighbour of it
    for (let more = r; more <= k; more += 1) {
      for (let new_ = a; new_ <= k; new_ += 1) if (legal(relation, k, more, new_)) return true;
    }
    return false;
  };

  // ---- Laplace noise, and what an attacker believes ----

  // What the attacker believes of a group with each sum, on average over the noise that is added to
  // the mean of the true group: Simpson's rule between neighbouring means, where all is smooth, in
  // steps of at most a sixteenth of the noise's scale. Beyond the means the belief is constant.
  function beliefs(values, size, truth, sensitivity, epsilon) {
    const counts = new Map();
    for (const group of groups(values.length, size)) {
      const own = total(values, group);
      counts.set(own, (counts.get(own) || 0) + 1);
    }
    const sums = sorted(counts.keys());
    const numbers = sums.map((own) => counts.get(own));
    if (epsilon === Infinity) return new Map(sums.map((own, i) => [own, own === truth ? 1 / numbers[i] : 0]));
    const means = sums.map((own) => own / size), mean = truth / size;
    const scale = sensitivity[0] / sensitivity[1] / epsilon;

    const weighed = (answer) => {
      const away = means.map((one) => Math.abs(answer - one)), least = Math.min(...away);
      const weights = away.map((one) => Math.exp((least - one) / scale));
      const all = sum(weights.map((weight, i) => weight * numbers[i]));
      return weights.map((weight) => weight / all);
    };
    const density = (answer) => Math.exp(-Math.abs(answer - mean) / scale) / (2 * scale);

    const believed = means.map(() => 0);
    const add = (answer, weight) => weighed(answer).forEach((part, i) => { believed[i] += part * weight; });
    const last = means.length - 1;
    add(means[0], density(means[0]) * scale);  // all that is below, and all that is above
    add(means[last], density(means[last]) * scale);
    for (let i = 0; i < last; i += 1) {
      const panels = 2 * Math.ceil(8 * (means[i + 1] - means[i]) / scale), step = (means[i + 1] - means[i]) / panels;
      for (let j = 0; j <= panels; j += 1) {
        const answer = means[i] + j * step;
        add(answer, density(answer) * step / 3 * (j === 0 || j === panels ? 1 : j % 2 ? 4 : 2));
      }
    }
    return new Map(sums.map((own, i) => [own, believed[i]]));
  }

  const digits = (number) => String(Number(number.toPrecision(3)));
  const oneIn = (share) => `1 in ${1 / share < 9.95 ? Number((1 / share).toFixed(1)) : Math.round(1 / share)}`;
  const percent = (share) => `${digits(100 * share)}\u00a0%`;

  // ---- Words ----

  const listed = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
  const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

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
      const start = `The mean is ${text([own, size])}.`;
      if (same.length === 1) return view.say(1, "group fits", `${start} No other group has it: all six are named.`);
      const sentences = [start];
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

  // The reader's record in a hunt for the widest gap, and what is said of each neighbour.
  function hunt(view, answer) {
    const { query, most, claim } = view;
    let record = [0, 1];
    return {
      begin() { record = [0, 1]; },
      say(sentence) { view.say(decimals(record), "is your record", sentence); },
      reach(before, after, who, last) {
        const gap = apart(answer(after), answer(before));
        const sentence = `${who}: the ${query} moves from ${text(answer(before))} to ${text(answer(after))}, by ${text(gap)}.`;
        view.mean(answer(after), answer(before));
        if (last) return view.say(decimals(most), "is the most there is", `${sentence} ${last}`);
        if (compare(gap, record) > 0) record = gap;
        return this.say(sentence);
      },
      verdict() {
        const own = compare(record, most) === 0 ? "You had it." : `Your record is ${text(record)}.`;
        return `${claim} ${own}`;
      },
    };
  }

  // Known records are pulled in and out: from one dataset to a neighbour, how far does the answer move?
  function moving(view) {
    const { names, values, query, relation, k, witness, opening, hint } = view;
    const answer = (positions) => QUERIES[query](positions.map((i) => values[i]));
    const own = hunt(view, answer);
    let base = [], pulled = [];  // positions; the pulled ones in the order they were pulled
    const current = () => names.map((_, i) => i).filter((i) => base.includes(i) !== pulled.includes(i));
    const removed = () => pulled.filter((i) => base.includes(i));
    const added = () => pulled.filter((i) => !base.includes(i));
    const named = (positions) => listed(positions.map((i) => names[i]));
    const isNeighbour = () => legal(relation, k, removed().length, added().length) && current().length > 0;

    function show(last) {
      names.forEach((_, i) => view.put(i, pulled.includes(i) ? (base.includes(i) ? "removed" : "added") : base.includes(i) ? "in" : "open"));
      const [out, into] = [removed(), added()];
      const who = [out.length ? `${named(out)} out` : "", into.length ? `${named(into)} in` : ""].filter(Boolean).join(", ");
      if (pulled.length && isNeighbour()) return own.reach(base, current(), who, last);
      view.mean(answer(base));
      if (!pulled.length) return own.say(`The ${query} is ${text(answer(base))}. ${hint}`);
      const ways = [
        [...Array(k + 1).keys()].some((a) => a > into.length && legal(relation, k, out.length, a)) && "in",
        [...Array(k + 1).keys()].some((r) => r > out.length && legal(relation, k, r, into.length)) && "out",
      ];
      return own.say(`${who}. Now pull another one ${ways.filter(Boolean).join(" or ")}.`);
    }

    return {
      live: true,
      begin() { base = [...opening]; pulled = []; own.begin(); show(); },
      pull(i, up) {
        pulled = pulled.filter((j) => j !== i);
        if (base.includes(i) !== up) pulled.push(i);
        while (!leadsOn(relation, k, removed().length, added().length)) {
          const many = base.includes(i) ? removed() : added();  // the one that was pulled first goes back
          const back = many.length > 1 ? many[0] : pulled[0];
          pulled = pulled.filter((j) => j !== back);
        }
        show();
      },
      actions: {
        on() {
          if (isNeighbour()) base = current();
          pulled = [];
          show();
        },
        most() {
          const last = own.verdict();
          base = [...witness[0]];
          pulled = names.map((_, i) => i).filter((i) => witness[0].includes(i) !== witness[1].includes(i));
          show(last);
        },
      },
    };
  }

  // Records on a scale are pulled along it: at most k of them away from where they were.
  function sliding(view) {
    const { names, scale, query, k, witness, opening, hint } = view;
    const answer = QUERIES[query], own = hunt(view, answer);
    let base = [], current = [], pulled = [];

    function show(last) {
      const rows = new Map();
      const row = (value) => { rows.set(value, (rows.get(value) || 0) + 1); return rows.get(value) - 1; };
      names.forEach((_, i) => view.place(i, current[i], row(current[i]), pulled.includes(i) ? "added" : "in"));
      view.ghosts(pulled.map((i) => [base[i], row(base[i])]));
      if (!pulled.length) {
        view.mean(answer(base));
        return own.say(`The ${query} is ${text(answer(base))}. ${hint}`);
      }
      return own.reach(base, current, listed(pulled.map((i) => `${base[i]} to ${current[i]}`)), last);
    }

    return {
      begin() { base = [...opening]; current = [...base]; pulled = []; own.begin(); show(); },
      value: (i) => current[i],
      slide(i, value) {
        if (!scale.includes(value) || value === current[i]) return;
        current[i] = value;
        pulled = pulled.filter((j) => j !== i);
        if (value !== base[i]) pulled.push(i);
        if (pulled.length > k) {  // the one that was pulled first goes back
          current[pulled[0]] = base[pulled[0]];
          pulled.shift();
        }
        show();
      },
      actions: {
        on() { base = [...current]; pulled = []; show(); },
        most() {
          const last = own.verdict();
          [base, current] = witness.map((side) => [...side]);
          pulled = names.map((_, i) => i).filter((i) => base[i] !== current[i]);
          show(last);
        },
      },
    };
  }

  // Noise on the published mean: what the attacker believes of the right six.
  function noisy(view) {
    const { values, size, published, most, epsilons } = view;
    const all = groups(values.length, size);
    const memory = new Map();
    const believed = (epsilon) => {
      if (!memory.has(epsilon)) memory.set(epsilon, beliefs(values, size, published, most, epsilon));
      return memory.get(epsilon);
    };
    return {
      begin() { view.mean([published, size]); this.turn(epsilons.length - 1); },
      turn(at) {
        const epsilon = epsilons[at], own = believed(epsilon), largest = Math.max(...own.values());
        const share = own.get(published), half = most[0] / most[1] / epsilon * Math.LN2;
        view.shade((group) => own.get(total(values, group)) / largest, all);
        view.band(published / size, half);
        view.dial(at, epsilon === Infinity ? "no noise" : String(epsilon));
        if (epsilon === Infinity) return view.say("1 in 1", "for the right six", "No noise: the attacker is certain.");
        return view.say(oneIn(share), "for the right six",
          `The attacker believes in the right six with ${percent(share)}. Half of the answers lie within ${digits(half)} days of the true mean.`);
      },
    };
  }

  const GAMES = { naming, hiding, moving, sliding, noisy };

  // ---- Hands: a dot that is lifted over the line, and one that slides along it ----

  function liftable(pupils, game, isUp, axis) {
    const lift = (i, up) => { if (isUp(i) !== up || !game.live) game.pull(i, up); };
    const focus = (i) => {
      pupils.forEach((dot, j) => { dot.tabIndex = i === j ? 0 : -1; });
      pupils[i].focus();
    };
    pupils.forEach((dot, i) => {
      let grip = null;  // where the pull began, and where the dot was
      let answered = false;  // whether the click that may follow was answered already
      const toggle = () => {
        pupils.forEach((other, j) => { other.tabIndex = i === j ? 0 : -1; });
        game.pull(i, !isUp(i));
      };
      dot.disabled = false;
      dot.tabIndex = i ? -1 : 0;
      dot.addEventListener("pointerdown", (event) => {
        if (event.button) return;
        grip = { y: event.clientY, top: dot.offsetTop, moved: false };
        dot.setPointerCapture(event.pointerId);
      });
      dot.addEventListener("pointermove", (event) => {
        if (!grip) return;
        if (Math.abs(event.clientY - grip.y) > 5) { grip.moved = true; dot.classList.add("held"); }
        if (!grip.moved) return;
        const { top, height } = axis();
        grip.up = event.clientY < top + height / 2;
        if (game.live && grip.up !== isUp(i)) game.pull(i, grip.up);
        dot.style.setProperty("--pull", `${event.clientY - grip.y - (dot.offsetTop - grip.top)}px`);
      });
      const letGo = ({ type }) => {
        if (!grip) return;
        const { moved, up } = grip;
        grip = null;
        dot.classList.remove("held");
        dot.style.removeProperty("--pull");
        if (type !== "pointerup") return;
        answered = true;
        setTimeout(() => { answered = false; }, 400);
        if (!moved) toggle();
        else if (!game.live && up !== isUp(i)) game.pull(i, up);
      };
      dot.addEventListener("pointerup", letGo);
      dot.addEventListener("pointercancel", letGo);
      dot.addEventListener("click", () => {  // Enter, Space, a screen reader
        if (!answered) toggle();
        answered = false;
      });
      dot.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step) focus((i + step + pupils.length) % pupils.length);
        else if (event.key === "Home") focus(0);
        else if (event.key === "End") focus(pupils.length - 1);
        else if (event.key === "ArrowUp") lift(i, true);
        else if (event.key === "ArrowDown") lift(i, false);
        else return;
        event.preventDefault();
      });
    });
  }

  function slidable(dot, game, i, scale, valueAt) {
    const nearest = (x) => scale.reduce((best, value) => Math.abs(value - x) < Math.abs(best - x) ? value : best);
    let held = false;
    dot.tabIndex = 0;
    dot.removeAttribute("aria-disabled");
    dot.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      held = true;
      dot.classList.add("held");
      dot.setPointerCapture(event.pointerId);
    });
    dot.addEventListener("pointermove", (event) => { if (held) game.slide(i, nearest(valueAt(event.clientX))); });
    for (const end of ["pointerup", "pointercancel"]) {
      dot.addEventListener(end, () => { held = false; dot.classList.remove("held"); });
    }
    dot.addEventListener("keydown", (event) => {
      const here = scale.indexOf(game.value(i)), last = scale.length - 1;
      const next = {
        ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1, Home: 0, End: last,
      }[event.key];
      if (next === undefined) return;
      game.slide(i, scale[Math.min(Math.max(next, 0), last)]);
      event.preventDefault();
    });
  }

  // ---- A game on its page ----

  const STATES = { open: "not pulled in", in: "inside", out: "certainly not inside", removed: "pulled out", added: "pulled in" };

  function start(root) {
    if (root.dataset.live) return;
    const find = (css) => root.querySelector(css), each = (css) => [...root.querySelectorAll(css)];
    const numbers = (key) => (root.dataset[key] || "").split(" ").filter(Boolean).map(Number);
    const pupils = each(".dot"), stage = find(".stage"), line = find(".line");
    const [low, high] = numbers("axis");
    const at = (x) => (x - low) / (high - low) * 100;
    const kinds = [];
    const isUp = (i) => ["in", "added"].includes(kinds[i]);

    const view = {
      names: root.dataset.names.split("|"), values: numbers("values"), size: Number(root.dataset.size),
      published: Number(root.dataset.published), opening: numbers("opening"),
      hint: root.dataset.hint, claim: root.dataset.claim, scale: numbers("scale"), query: root.dataset.query, relation: root.dataset.relation, k: Number(root.dataset.k || 1),
      most: numbers("most"), witness: (root.dataset.witness || "").split("|").map((side) => side.split(" ").map(Number)),
      epsilons: numbers("epsilons"),
      put(i, kind) {
        kinds[i] = kind;
        if (!pupils[i]) return;
        pupils[i].dataset.kind = kind;
        pupils[i].setAttribute("aria-pressed", String(isUp(i)));
        pupils[i].setAttribute("aria-label", `${pupils[i].dataset.label}: ${STATES[kind]}`);
      },
      place(i, value, row, kind) {  // a record on a scale
        const dot = pupils[i];
        dot.dataset.kind = kind;
        dot.style.setProperty("--at", at(value));
        dot.style.setProperty("--row", row);
        dot.querySelector(".days").textContent = value;
        dot.setAttribute("aria-valuenow", value);
        dot.setAttribute("aria-valuetext", kind === "added" ? `${value}, pulled` : String(value));
      },
      ghosts(all) {  // where the pulled records were
        each(".ghost").forEach((one) => one.remove());
        for (const [value, row] of all) {
          const ghost = document.createElement("span");
          ghost.className = "ghost";
          ghost.textContent = value;
          ghost.style.setProperty("--at", at(value));
          ghost.style.setProperty("--row", row);
          find(".pupils").append(ghost);
        }
      },
      say(big, what, sentence) {
        find(".big b").textContent = big;
        find(".big span").textContent = ` ${what}`;
        find(".sentence").textContent = sentence;
      },
      mean(fraction, before = null) {
        const mark = find(".mean"), old = find(".before"), gap = find(".gap");
        mark.hidden = !fraction;
        old.hidden = gap.hidden = !before;
        if (!fraction) return;
        mark.style.setProperty("--at", at(fraction[0] / fraction[1]));
        mark.querySelector("b").textContent = decimals(reduced(fraction));
        if (!before) return;
        const ends = sorted([fraction, before].map(([a, b]) => at(a / b)));
        old.style.setProperty("--at", at(before[0] / before[1]));
        gap.style.setProperty("--from", ends[0]);
        gap.style.setProperty("--to", ends[1]);
      },
      band(centre, half) {
        const band = find(".gap");
        band.hidden = !(half > 0);
        band.style.setProperty("--from", Math.max(at(centre - half), at(low)));
        band.style.setProperty("--to", Math.min(at(centre + half), at(high)));
      },
      sieve(kind, all) { each(".sieve rect").forEach((square, i) => { square.setAttribute("class", kind(all[i])); }); },
      shade(share, all) { each(".sieve rect").forEach((square, i) => { square.style.fillOpacity = 0.06 + 0.94 * share(all[i]); }); },
      dial(value, words) {
        find("input").value = value;
        find("input").setAttribute("aria-valuetext", words === "no noise" ? words : `ε = ${words}`);
        find("output").textContent = words;
      },
    };
    const game = GAMES[root.dataset.game](view);

    if (game.slide) pupils.forEach((dot, i) => slidable(dot, game, i, view.scale, (x) => {
      const axis = line.getBoundingClientRect();
      return low + (x - axis.left) / axis.width * (high - low);
    }));
    else liftable(pupils, game, isUp, () => line.getBoundingClientRect());
    each("[data-action]").forEach((button) => {
      button.disabled = false;
      button.addEventListener("click", () => {
        if (button.dataset.action === "begin") game.begin();
        else game.actions[button.dataset.action]();
      });
    });
    const dial = find("input");
    if (dial) {
      dial.disabled = false;
      dial.addEventListener("input", () => game.turn(Number(dial.value)));
    }
    root.dataset.live = "yes";
    game.begin();
    return stage;
  }

  globalThis.Dots = { start, groups, total, withSum, agreeing, known, text, decimals, apart, compare, beliefs, legal, QUERIES };
  document.querySelectorAll(".dots").forEach(start);
})();
