import { Environment } from '@marcbachmann/cel-js';
import type { Meter } from '../meter.ts';
import { registerAddressFunctions } from './addresses.ts';
import { registerListFunctions } from './lists.ts';
import { Patterns, registerPatternFunctions } from './patterns.ts';
import { registerQuantityFunctions } from './quantities.ts';
import { registerIn } from './register.ts';
import { registerTextFunctions } from './texts.ts';
import { registerUrlFunctions } from './urls.ts';

/** More than any honest rule has, and few enough to walk without running out of stack. */
const maxNodes = 3000;

/** An environment with Kubernetes' functions and no variables. */
export function createEnvironment(meter: Meter): { readonly environment: Environment; readonly patterns: Patterns } {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: { maxAstNodes: maxNodes, maxDepth: 100 },
  });
  const patterns = new Patterns(meter);
  registerTextFunctions(environment);
  registerPatternFunctions(environment, patterns, meter);
  registerListFunctions(environment);
  registerQuantityFunctions(environment);
  registerUrlFunctions(environment);
  registerAddressFunctions(environment);
  registerConversions(environment);
  return { environment, patterns };
}

function registerConversions(environment: Environment): void {
  const register = registerIn(environment);
  const time = 'google.protobuf.Timestamp';
  const span = 'google.protobuf.Duration';
  register(`timestamp(${time}): ${time}`, (value: Date) => value);
  register(`duration(${span}): ${span}`, (value: unknown) => value);
  register(`int(${time}): int`, (value: Date) => BigInt(Math.floor(value.getTime() / 1000)));
}
