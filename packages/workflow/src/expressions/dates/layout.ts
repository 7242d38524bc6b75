/** What a part of a Go layout stands for, by its text in the reference time `Mon Jan 2 15:04:05 MST 2006`. */
const elements = [
  'January',
  'Jan',
  'Monday',
  'Mon',
  'MST',
  '2006',
  '__2',
  '_2',
  '002',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '15',
  '1',
  '2',
  '3',
  '4',
  '5',
  'PM',
  'pm',
  'Z07:00:00',
  'Z07:00',
  'Z070000',
  'Z0700',
  'Z07',
  '-07:00:00',
  '-07:00',
  '-070000',
  '-0700',
  '-07',
] as const;

export type LayoutElement = (typeof elements)[number];

export type LayoutPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'element'; readonly element: LayoutElement }
  /** Digits behind the second; with `9` zeros at the end are left out. */
  | { readonly type: 'fraction'; readonly separator: string; readonly digits: number; readonly isTrimmed: boolean };

const fraction = /[.,](0+|9+)(?!\d)/y;

/** Splits a layout into its parts. */
export function parseLayout(layout: string): LayoutPart[] {
  const parts: LayoutPart[] = [];
  let text = '';
  for (let at = 0; at < layout.length; ) {
    const part = partAt(layout, at);
    if (part === undefined) {
      text += layout[at++] ?? '';
      continue;
    }
    if (text !== '') parts.push({ type: 'text', text });
    text = '';
    parts.push(part);
    at += lengthOfPart(part);
  }
  if (text !== '') parts.push({ type: 'text', text });
  return parts;
}

function partAt(layout: string, at: number): LayoutPart | undefined {
  fraction.lastIndex = at;
  const digits = fraction.exec(layout)?.[1];
  if (digits !== undefined) {
    return { type: 'fraction', separator: layout[at] ?? '.', digits: digits.length, isTrimmed: digits.startsWith('9') };
  }
  const element = elements.find(candidate => layout.startsWith(candidate, at) && isWholeElement(layout, at, candidate));
  return element === undefined ? undefined : { type: 'element', element };
}

/** `Jan` in `January` was tried before; `Month` is not `Mon`, `_2006` is a text and a year. */
function isWholeElement(layout: string, at: number, element: string): boolean {
  if (element === 'Jan' || element === 'Mon') return !/[a-z]/.test(layout[at + 3] ?? '');
  return element !== '_2' || !layout.startsWith('2006', at + 1);
}

const lengthOfPart = (part: LayoutPart): number =>
  part.type === 'text' ? part.text.length : part.type === 'element' ? part.element.length : part.digits + 1;

export const monthNames: readonly string[] =
  'January February March April May June July August September October November December'.split(' ');
export const weekdayNames: readonly string[] = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
