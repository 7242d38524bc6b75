import { createHash } from 'node:crypto';
import { canonicalJson, type StructuralSchema } from '@chandlery/api';
import { LruCache } from '@chandlery/platform';
import { compileRuleValidator, type RuleValidator } from './cel/index.ts';
import { type CleanTest, compileCleanTest } from './clean.ts';
import { compileDefaulter, type Defaulter } from './defaults.ts';
import { compilePruner, type Pruner } from './prune.ts';
import { compileValidator, type Validator } from './validate.ts';

/** All that a schema does to an object, in the order in which it is done. */
export interface CompiledSchema {
  readonly hash: string;
  readonly isClean: CleanTest;
  readonly prune: Pruner;
  readonly applyDefaults: Defaulter;
  readonly validate: Validator;
  /** The rules of `x-kubernetes-validations`, for objects that `validate` has found nothing wrong with. */
  readonly validateRules: RuleValidator;
}

/** Compiles a schema without any cache. */
export const compileSchema = (schema: StructuralSchema, hash = hashSchema(schema)): CompiledSchema => ({
  hash,
  isClean: compileOnUse(() => compileCleanTest(schema)),
  prune: compilePruner(schema),
  applyDefaults: compileDefaulter(schema),
  validate: compileValidator(schema),
  validateRules: compileOnUse(() => compileRuleValidator(schema) ?? noRules),
});

const noRules: RuleValidator = () => [];

/** Schemas are often compiled for reading only. */
function compileOnUse<Given extends unknown[], Answer>(
  compile: () => (...given: Given) => Answer,
): (...given: Given) => Answer {
  let compiled: ((...given: Given) => Answer) | undefined;
  return (...given) => {
    compiled ??= compile();
    return compiled(...given);
  };
}

export interface ValidatorCacheOptions {
  /** How many schemas are kept; the least recently asked for goes first. Default 1000. */
  readonly maxSchemas?: number;
}

/** Compiled schemas by what they say, so that thousands of logical clusters with the same kinds share one. */
export class ValidatorCache {
  readonly #byHash: LruCache<string, CompiledSchema>;
  /** Spares the hash for a schema object that has been seen. Schemas are not changed once given. */
  readonly #hashes = new WeakMap<StructuralSchema, string>();

  constructor({ maxSchemas = 1000 }: ValidatorCacheOptions = {}) {
    this.#byHash = new LruCache(maxSchemas);
  }

  get size(): number {
    return this.#byHash.size;
  }

  /** The compiled form; compiles on the first request. Throws when a pattern cannot be compiled. */
  get(schema: StructuralSchema): CompiledSchema {
    const hash = this.#hashOf(schema);
    const known = this.#byHash.get(hash);
    if (known !== undefined) return known;
    const compiled = compileSchema(schema, hash);
    this.#byHash.set(hash, compiled);
    return compiled;
  }

  #hashOf(schema: StructuralSchema): string {
    const known = this.#hashes.get(schema);
    if (known !== undefined) return known;
    const hash = hashSchema(schema);
    this.#hashes.set(schema, hash);
    return hash;
  }
}

/** Equal for schemas that say the same, in whatever order they say it. */
const hashSchema = (schema: StructuralSchema): string =>
  createHash('sha256').update(canonicalJson(schema)).digest('base64url');
