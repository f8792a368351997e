// The stage on which everything is played that a reader pulls: dots, tents, explorers.
//
// A page holds a play as a finished picture with its sentence, which Python wrote (sensitivity_book/stage). The
// play's own script says what becomes of a pull. Here is what all share: how a number is written, a part of
// the picture placed, held and moved by keys, and how the picture comes alive.
(() => {
  "use strict";

  // ---- Numbers, as sensitivity_book/stage/words.py writes them; a fraction is [above, below] ----

  const digits = (number) => String(Number(number.toPrecision(3))).replace(/^-/, "−");
  const percent = (share) => share > 0.999 ? "over 99.9\u00a0%" : share < 0.001 ? "under 0.1\u00a0%" : `${digits(100 * share)}\u00a0%`;
  const gcd = (a, b) => (b ? gcd(b, a % b) : Math.abs(a));
  const reduced = ([a, b]) => [a / (gcd(a, b) || 1), b / (gcd(a, b) || 1)];
  const isShort = ([, b]) => 100 % b === 0;  // ends after two decimals
  const decimals = ([a, b]) => {
    const hundredths = Math.floor((200 * a + b) / (2 * b));
    return isShort([a, b]) ? String(hundredths / 100) : (hundredths / 100).toFixed(2);
  };
  const text = (fraction) => {
    const [a, b] = reduced(fraction);
    return isShort([a, b]) ? decimals([a, b]) : `${a}/${b}\u00a0≈\u00a0${decimals([a, b])}`;
  };
  const listed = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

  // A number drawn from Laplace noise of scale 1. For looking at only: to hide people takes a sampler made for it.
  function laplace() {
    const side = Math.random() - 0.5;
    return -Math.sign(side) * Math.log(1 - 2 * Math.abs(side));
  }

  // ---- Where things stand: the numbers of a part are its style's variables, in percent of the line ----

  function place(part, numbers) {
    for (const [name, number] of Object.entries(numbers)) part.style.setProperty(`--${name}`, number);
  }

  // A line from `low` to `high`, drawn as wide as `part`.
  function axis(low, high, part) {
    const within = (x) => Math.min(Math.max(x, low), high);
    const at = (x) => (x - low) / (high - low) * 100;
    return {
      at,
      end: (x) => at(within(x)),
      valueAt(clientX) {
        const { left, width } = part.getBoundingClientRect();
        return low + (clientX - left) / width * (high - low);
      },
    };
  }

  // ---- Hands ----

  // A part is held by mouse or finger. What `take` returns of the first touch comes back with every pull.
  function held(part, { take = () => true, pull, drop = () => {} }) {
    let grip = null;
    part.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.stopPropagation();
      grip = take(event);
      part.classList.add("held");
      part.setPointerCapture(event.pointerId);
    });
    part.addEventListener("pointermove", (event) => { if (grip !== null) pull(event, grip); });
    for (const end of ["pointerup", "pointercancel"]) {
      part.addEventListener(end, (event) => {
        const last = grip;
        grip = null;
        part.classList.remove("held");
        if (last !== null) drop(event, last);
      });
    }
  }

  // Where a key leads from `here`: one on, a leap, an end of the line. A key that leads nowhere has no place.
  const led = (key, here, [first, last], leap = 10) => ({
    ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1,
    PageDown: here - leap, PageUp: here + leap, Home: first, End: last,
  })[key];

  // ---- A play on its page ----

  // `bring` makes one picture alive, by what finds its parts; the controls, dead until then, wake up.
  function play(css, bring) {
    function start(root) {
      if (root.dataset.live) return;
      const find = (part) => root.querySelector(part), each = (part) => [...root.querySelectorAll(part)];
      const say = (big, what, sentence) => {
        find(".big b").textContent = big;
        find(".big span").textContent = ` ${what}`;
        find(".sentence").textContent = sentence;
      };
      const turn = (value, shown, spoken) => {
        find("[type=range]").value = value;
        find("[type=range]").setAttribute("aria-valuetext", spoken);
        find(".dial output").textContent = shown;
      };
      for (const control of each("button, input")) control.disabled = false;
      for (const part of each("[aria-disabled]")) {
        part.tabIndex = 0;
        part.removeAttribute("aria-disabled");
      }
      root.dataset.live = "yes";
      bring({ root, find, each, say, turn });
    }
    document.querySelectorAll(css).forEach(start);
    return start;
  }

  globalThis.Stage = { digits, percent, reduced, decimals, text, listed, laplace, place, axis, held, led, play };
})();
