// Keys pressed in a widget are the widget's: "x" in a list of choices must not cut the cell.
// JupyterLab passes an element with this attribute by; ipywidgets cannot set it.
const keep = ({ target }) => target.closest(".jupyter-widgets") && target.setAttribute("data-lm-suppress-shortcuts", "");

const plugin = {
  id: "sensitivity-lab-keys:plugin",
  autoStart: true,
  activate: () => document.addEventListener("focusin", keep),
};

// Where JupyterLab looks for what it has loaded.
(window._JUPYTERLAB ??= {})["sensitivity-lab-keys"] = { init: () => {}, get: async () => () => plugin };
