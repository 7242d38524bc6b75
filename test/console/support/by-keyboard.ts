import type { Locator } from 'playwright-core';

/** More stops than any page has. */
const maxStops = 400;

/** Where the focus is, seen from a control: on it, among others that the key leads through, or where Tab leads away. */
type Place = 'here' | 'elsewhere' | 'ArrowRight' | 'ArrowLeft' | 'ArrowDown' | 'ArrowUp';

/** Moves the focus to a control with the keyboard alone. Fails when no key leads there. */
export async function reach(locator: Locator): Promise<void> {
  await locator.waitFor();
  const { keyboard } = locator.page();
  for (let stop = 0; stop < maxStops; stop++) {
    const place = await placeOf(locator);
    if (place === 'here') return;
    await keyboard.press(place === 'elsewhere' ? 'Tab' : place);
  }
  throw new Error(`no key leads to ${locator}`);
}

/** Follows a link, presses a button, opens a summary, turns a check box over, or chooses a radio button. */
export async function activate(locator: Locator): Promise<void> {
  await reach(locator);
  const type = await locator.getAttribute('type');
  await locator.page().keyboard.press(type === 'checkbox' || type === 'radio' ? 'Space' : 'Enter');
}

/** Replaces the text of a field. */
export async function type(locator: Locator, text: string): Promise<void> {
  await reach(locator);
  const { keyboard } = locator.page();
  await keyboard.press('Control+a');
  await keyboard.press('Delete');
  await keyboard.type(text);
}

/** Chooses an option of a list by the first letters of its label. */
export async function choose(locator: Locator, label: string): Promise<void> {
  await reach(locator);
  await locator.page().keyboard.type(label);
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Types a moment of the browser's zone into a field for a date and a time, part by part. */
export async function typeMoment(locator: Locator, moment: Date): Promise<void> {
  await reach(locator);
  const { keyboard } = locator.page();
  const hour = moment.getHours() % 12 || 12;
  await keyboard.type(`${twoDigits(moment.getMonth() + 1)}${twoDigits(moment.getDate())}${moment.getFullYear()}`);
  // A year may have more digits, so that the next part has to be asked for.
  await keyboard.press('ArrowRight');
  await keyboard.type([hour, moment.getMinutes(), moment.getSeconds()].map(twoDigits).join(''));
  await keyboard.type(moment.getHours() < 12 ? 'AM' : 'PM');
}

/** Parts of a field for a date and a time with seconds. */
const momentParts = 7;

/** Empties a field for a date and a time. */
export async function clearMoment(locator: Locator): Promise<void> {
  await reach(locator);
  const { keyboard } = locator.page();
  for (let part = 0; part < momentParts; part++) await keyboard.press('ArrowLeft');
  for (let part = 0; part < momentParts; part++) {
    await keyboard.press('Delete');
    await keyboard.press('ArrowRight');
  }
}

/** Why a button cannot be used, as it shows when the focus is on it; empty when it can. */
export async function reasonAt(button: Locator): Promise<string> {
  await reach(button);
  const reason = button.page().getByRole('tooltip');
  return (await reason.isVisible()) ? reason.innerText() : '';
}

/** What is used of an element here: tests are compiled without the types of browsers. */
interface PageElement {
  readonly shadowRoot?: FocusRoot | null;
  readonly type?: string;
  readonly name?: string;
  readonly control?: PageElement | null;
  closest(selectors: string): PageElement | null;
  contains(other: PageElement): boolean;
  getBoundingClientRect(): { readonly x: number; readonly y: number };
}

interface FocusRoot {
  readonly activeElement: PageElement | null;
}

/** Radio buttons, tabs and the nodes of a drawing are one stop for Tab: arrow keys lead through them. */
const placeOf = (locator: Locator): Promise<Place> =>
  locator.evaluate((node): Place => {
    const { document } = globalThis as unknown as { document: FocusRoot & { body: PageElement } };
    let active = document.activeElement ?? document.body;
    while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const element = node as unknown as PageElement;
    const target = element.control ?? element.closest('a, button, summary, input') ?? element;
    if (active === target || (target === element && active !== document.body && target.contains(active))) return 'here';
    const isSameChoice = target.type === 'radio' && active.type === 'radio' && target.name === active.name;
    if (isSameChoice || target.closest('[role=tablist]')?.contains(active) === true) return 'ArrowRight';
    const isInDrawing = active.closest('[data-node]') !== null;
    if (!isInDrawing || target.closest('.graph-content')?.contains(active) !== true) return 'elsewhere';
    const [from, to] = [active.getBoundingClientRect(), target.getBoundingClientRect()];
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    if (Math.abs(dx) >= Math.abs(dy)) return dx > 0 ? 'ArrowRight' : 'ArrowLeft';
    return dy > 0 ? 'ArrowDown' : 'ArrowUp';
  });
