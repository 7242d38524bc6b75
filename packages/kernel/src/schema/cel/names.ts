const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const escapable = /^[A-Za-z_./-][A-Za-z0-9_./-]*$/;
const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name by which rules reach a property; undefined when there is none. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!escapable.test(name)) return undefined;
  return name.replace(/__|[./-]/g, match => escapes[match] ?? match);
}
