(function (explorer) {
  // The knobs choose a frame: a sentence, the picture in words, and runs of numbered lines of SVG.
  const { styles, lines, frames } = JSON.parse(explorer.querySelector("script[type='application/json']").textContent);
  const knobs = [...explorer.querySelectorAll("input, select")];
  const picture = explorer.querySelector("[role=img]");
  const status = explorer.querySelector("[role=status]");
  const names = (knob) => knob.dataset.options ? JSON.parse(knob.dataset.options) : [...knob.options].map((option) => option.text);
  const show = () => {
    const chosen = knobs.reduce((at, knob) => at * +knob.dataset.count + +knob.value, 0);
    const [sentence, alt, runs] = frames[chosen];
    const drawn = runs.flatMap((first, i) => i % 2 ? [] : lines.slice(first, first + runs[i + 1]));
    picture.innerHTML = drawn.map((line) => line.replace(/§(\d+)/, (_, style) => styles[style])).join("\n");
    picture.setAttribute("aria-label", alt);
    status.style.minHeight = `${status.offsetHeight}px`;  // a shorter sentence leaves the picture where it is
    status.textContent = sentence;
    for (const knob of knobs) {
      if (!knob.dataset.options) continue;
      const text = names(knob)[knob.value];
      knob.setAttribute("aria-valuetext", text);
      knob.nextElementSibling.textContent = text;
    }
  };
  for (const knob of knobs) {
    knob.disabled = false;
    knob.addEventListener("input", show);
  }
  // A part of the picture may turn a knob: its choice "n=2" sets the knob n to the setting named 2.
  picture.addEventListener("click", (event) => {
    const part = event.target.closest("[data-choice]");
    if (!part) return;
    const [, argument, name] = part.dataset.choice.match(/(.*?)=(.*)/);
    const knob = knobs.find((knob) => knob.name === argument);
    knob.value = names(knob).indexOf(name);
    knob.dispatchEvent(new Event("input"));
  });
  show();
})(document.currentScript.parentElement);
