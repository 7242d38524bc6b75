/** Texts as the `data` of a Secret. */
export const encodeSecret = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

/** The `data` of a Secret as texts; none when it has none. */
export const decodeSecret = (data: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
