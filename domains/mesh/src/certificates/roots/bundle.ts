/** Splits a PEM text into its certificates. */
export const splitBundle = (bundle: string): readonly string[] =>
  bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/g) ?? [];
