/** The first key that stands twice in the same object of a valid JSON text, or undefined. One scan, no parsing. */
export function findDuplicateKey(text: string): string | undefined {
  const levels: (Set<string> | undefined)[] = [];
  for (let position = 0; position < text.length; position++) {
    const character = text[position];
    if (character === '{') levels.push(new Set());
    else if (character === '[') levels.push(undefined);
    else if (character === '}' || character === ']') levels.pop();
    else if (character === '"') {
      const end = closingQuote(text, position);
      const keys = levels.at(-1);
      if (keys !== undefined && isFollowedByColon(text, end)) {
        const key = JSON.parse(text.slice(position, end + 1)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      position = end;
    }
  }
  return undefined;
}

function closingQuote(text: string, start: number): number {
  let position = start + 1;
  while (text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position;
}

/** In an object only keys are: values are followed by a comma or a brace. */
function isFollowedByColon(text: string, end: number): boolean {
  let position = end + 1;
  while (text.charCodeAt(position) <= 0x20) position++;
  return text[position] === ':';
}
