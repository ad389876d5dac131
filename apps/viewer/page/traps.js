// Teleports explained: where psi says two places are near, and why that is a trap.
import { short } from './charts.js';

const cells = n => `${n} cell${n === 1 ? '' : 's'}`;

function paragraph(box, text) {
  box.appendChild(document.createElement('p')).textContent = text;
}

export function explain(box, run) {
  const { leaps, shortcuts, teleports, cut } = run.near, space = run.space;
  box.replaceChildren();
  const total = leaps.reduce((sum, l) => sum + l.count, 0);
  if (teleports || total)
    paragraph(box, `The data hold ${total.toLocaleString('en')} leaps (orange arrows): steps that no agent can count on. ` +
      (teleports ? 'Who enters a door marked "in" comes out at one of those marked "out", drawn at random, and there is no door back.' : ''));
  if (shortcuts.length)
    paragraph(box, `Dashed red lines join places that ${space} holds as near as neighbours, although the way on foot is long or there is none. ` +
      'This is a trap: the planner heads for the door because the goal looks close behind it, comes out where chance will have it, ' +
      'and may stand where no path leads to the goal.' +
      (cut ? '' : ` This run took leaps for motion; trained with leaps cut out (preset fast), ${space} counts the way on foot.`));
  else if (teleports && cut)
    paragraph(box, `This run was trained with the leaps cut out of its episodes, so ${space} counts the way on foot: no two places that are far ` +
      'on foot look near. With the leaps left in, both ends of a door would look like neighbours, and a planner that trusts this walks into ' +
      'the door and comes out where chance will have it: a trap.');
  else if (!total)
    paragraph(box, `No leaps in these data, and ${space} holds no two places near that are far apart on foot.`);
  if (!shortcuts.length) return;
  const list = box.appendChild(document.createElement('ul'));
  for (const s of shortcuts.slice(0, 5))
    list.appendChild(document.createElement('li')).textContent =
      `clusters ${s.from} and ${s.to}: ${short(s.psi)} apart in ${space}, which looks like ${cells(s.looks_like)}; on foot ` +
      (s.cells < 0 ? 'there is no way' : cells(s.cells));
}
