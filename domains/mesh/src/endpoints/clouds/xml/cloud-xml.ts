/** An element of a document: text, elements by name, or a list of either. */
export type XmlValue = string | { readonly [name: string]: XmlValue } | readonly XmlValue[] | undefined;

/** The root of a document by its name. Throws when it is no XML. The library is loaded with the first. */
export async function parseXml(text: string): Promise<Readonly<Record<string, XmlValue>>> {
  const { parseXML } = await import('@aws-sdk/xml-builder');
  return parseXML(text) as Record<string, XmlValue>;
}

/** The element at a path; undefined when there is none. */
export function at(value: XmlValue, ...path: readonly string[]): XmlValue {
  return path.reduce<XmlValue>((parent, name) => (isElement(parent) ? parent[name] : undefined), value);
}

export function textAt(value: XmlValue, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The entries of a list, which may be missing or have one entry only. An empty list is read as an empty text. */
export function listOf(value: XmlValue): readonly XmlValue[] {
  if (isList(value)) return value;
  return value === undefined || value === '' ? [] : [value];
}

const isList = (value: XmlValue): value is readonly XmlValue[] => Array.isArray(value);

const isElement = (value: XmlValue): value is { readonly [name: string]: XmlValue } =>
  typeof value === 'object' && !Array.isArray(value);
