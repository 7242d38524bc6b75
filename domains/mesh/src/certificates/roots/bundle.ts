/** The certificates of a PEM text, in order, each with its frame. */
export const splitBundle = (bundle: string): readonly string[] =>
  bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/g) ?? [];
