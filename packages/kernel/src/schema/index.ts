/**
 * Structural schemas at work, JSON in and JSON out. An object from outside goes through, in this order:
 * `scanJson` on its bytes, decoding (`parseJsonStrict` when the client wants to hear of mistakes), `prune`,
 * `applyDefaults`, `validate`, `validateRules`. The last four come compiled, and shared by all who use the same schema,
 * from a {@link ValidatorCache}. A schema from outside goes through {@link checkStructural} before anything else, and
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
