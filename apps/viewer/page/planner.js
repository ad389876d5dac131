// The planner's panel: one control for each setting, made from the table that the program sends (key, kind, range, choices,
// help), and the variants. What the page changed is marked, and can be taken back. A run that does not plan has only a seed.
const $ = id => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
}

export class PlannerPanel {
  // change({key: value}) tells the program
  constructor(table, change) {
    $('seed').onchange = () => { if ($('seed').checkValidity() && $('seed').value !== '') change({ seed: +$('seed').value }); };
    if (!table) return;
    const { settings, variants, planners } = table;
    Object.assign(this, { change, variants: new Map(variants.map(v => [v.name, v])) });
    this.fields = settings.map(setting => this.field(setting));
    for (const field of this.fields) $(field.main ? 'settings-main' : 'settings-more').append(field.label);
    this.choice('variant', variants.map(v => v.name).reverse());
    this.choice('planner', planners);
    $('defaults').onclick = () => change(Object.fromEntries(this.own.map(key => [key, null])));
  }

  choice(id, names) {
    $(id).replaceChildren(...names.map(name => new Option(name, name)));
    $(id).onchange = () => this.change({ [id]: $(id).value });
  }

  field(setting) {
    const { key, kind, least, most, choices, help } = setting, id = `set-${key}`;
    const input = kind === 'word' ? element('select', { id }, ...choices.map(c => new Option(c, c)))
      : kind === 'switch' ? element('input', { id, type: 'checkbox' })
      : element('input', { id, type: 'number', min: least, max: most, step: kind === 'whole' ? 1 : 'any', inputMode: kind === 'whole' ? 'numeric' : 'decimal' });
    input.onchange = () => {
      if (kind === 'switch') return this.change({ [key]: input.checked });
      if (kind === 'word') return this.change({ [key]: input.value });
      if (input.validity.badInput || !input.checkValidity()) return;
      this.change({ [key]: input.value === '' ? null : +input.value });  // nothing: back to the planner's value
    };
    const label = element('label', { title: help, className: kind }, key.replaceAll('_', ' '), input);
    return { ...setting, input, label };
  }

  show({ variant, planner, seed, values, own }) {
    if (document.activeElement !== $('seed')) $('seed').value = seed;
    if (!this.variants) return;
    this.own = own;
    const { unused, search } = this.variants.get(variant);
    for (const [id, value] of Object.entries({ variant, planner })) $(id).value = value;
    for (const { key, kind, input, label } of this.fields) {
      if (kind === 'switch') input.checked = values[key];
      else if (document.activeElement !== input || kind === 'word') input.value = values[key];
      input.classList.toggle('own', own.includes(key));
      input.disabled = unused.includes(key);
      label.hidden = input.disabled && !own.includes(key);
    }
    $('defaults').hidden = !own.length;
    $('settings-note').textContent = !search ? 'This variant acts on the prior alone: no search.'
      : values.budget_ms ? `The search ends after ${values.budget_ms / 1000} s with the best plan found.` : '';
  }
}
