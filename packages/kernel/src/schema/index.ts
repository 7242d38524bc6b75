/**
 * Structural schemas, JSON in and JSON out. An object from a client passes, in this order:
 * `scanJson` on its bytes, decoding (`parseJsonStrict` when the client wants mistakes reported), `prune`,
 * `applyDefaults`, `validate`, `validateRules`. The last four come compiled, and shared by all users of the same schema,
 * from a {@link ValidatorCache}. A schema from a client passes {@link checkStructural} before anything else, and
 * then through {@link checkRules}.
 */
export { checkRules } from './cel/index.ts';
export { parseJsonStrict } from './duplicate-keys.ts';
export { withImpliedFields } from './implied-fields.ts';
export {
  assertJsonLimits,
  maxJsonDepth,
  maxJsonValues,
  maxMapKeys,
  scanJson,
  tooManyKeys,
  tooManyValues,
} from './json-limits.ts';
export { checkStructural } from './structural.ts';
export { type CompiledSchema, ValidatorCache } from './validator-cache.ts';
