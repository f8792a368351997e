(function (explorer) {
  // The knobs choose a frame: a sentence, the picture in words, and numbered lines of SVG.
  const { styles, lines, frames } = JSON.parse(explorer.querySelector("script[type='application/json']").textContent);
  const knobs = [...explorer.querySelectorAll("input, select")];
  const picture = explorer.querySelector("[role=img]");
  const status = explorer.querySelector("[role=status]");
  const text = (knob) => knob.dataset.options ? JSON.parse(knob.dataset.options)[knob.value] : knob.selectedOptions[0].text;
  const show = () => {
    const chosen = knobs.reduce((at, knob) => at * +knob.dataset.count + +knob.value, 0);
    const [sentence, alt, drawn] = frames[chosen];
    picture.innerHTML = drawn.map((line) => lines[line].replace(/§(\d+)/, (_, style) => styles[style])).join("\n");
    picture.setAttribute("aria-label", alt);
    status.textContent = sentence;
    for (const knob of knobs) {
      if (!knob.dataset.options) continue;
      knob.setAttribute("aria-valuetext", text(knob));
      knob.nextElementSibling.textContent = text(knob);
    }
  };
  for (const knob of knobs) {
    knob.disabled = false;
    knob.addEventListener("input", show);
  }
  show();
})(document.currentScript.parentElement);
