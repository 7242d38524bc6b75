import type { Locator } from 'playwright-core';

/** More stops than any page has. */
const maxStops = 400;

type Place = 'here' | 'in its group' | 'elsewhere';

/** Moves the focus to a control with the keyboard alone. Fails when no key leads there. */
export async function reach(locator: Locator): Promise<void> {
  await locator.waitFor();
  const { keyboard } = locator.page();
  for (let stop = 0; stop < maxStops; stop++) {
    const place = await placeOf(locator);
    if (place === 'here') return;
    await keyboard.press(place === 'in its group' ? 'ArrowRight' : 'Tab');
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

/** What is used of an element here: tests are compiled without the types of browsers. */
interface PageElement {
  readonly shadowRoot?: FocusRoot | null;
  readonly type?: string;
  readonly name?: string;
  readonly control?: PageElement | null;
  closest(selectors: string): PageElement | null;
  contains(other: PageElement): boolean;
}

interface FocusRoot {
  readonly activeElement: PageElement | null;
}

/** Where the focus is, seen from a control. Arrow keys lead through radio buttons and tabs, which are one stop for Tab. */
const placeOf = (locator: Locator): Promise<Place> =>
  locator.evaluate((node): Place => {
    const { document } = globalThis as unknown as { document: FocusRoot & { body: PageElement } };
    let active = document.activeElement ?? document.body;
    while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const element = node as unknown as PageElement;
    const target = element.control ?? element.closest('a, button, summary, input') ?? element;
    if (active === target || (target === element && active !== document.body && target.contains(active))) return 'here';
    const isSameChoice = target.type === 'radio' && active.type === 'radio' && target.name === active.name;
    return isSameChoice || target.closest('[role=tablist]')?.contains(active) === true ? 'in its group' : 'elsewhere';
  });
