import { expand } from './expand.ts';
import type { Container, EnvironmentSource, EnvironmentVariable, KeyReference, Pod } from './pod.ts';
import { configError, type Machine, readField, readResource } from './pod-fields.ts';

/** The values of a pod's ConfigMap and Secret references, by object and key. Missing objects are left out. */
export interface PodSources {
  readonly secrets: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>>;
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>>;
}

type Variables = Record<string, string>;

interface Deps {
  readonly pod: Pod;
  readonly container: Container;
  readonly sources: PodSources;
  readonly machine: Machine;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The container's variables over the given ones: `envFrom` first, then `env`, each seeing the previous ones. */
export function resolveEnvironment(deps: Deps, given: Readonly<Record<string, string>>): Variables {
  const variables: Variables = { ...given };
  for (const source of deps.container.envFrom ?? []) Object.assign(variables, readSource(deps, source));
  for (const variable of deps.container.env ?? []) {
    const value = readVariable(deps, variable, variables);
    if (value !== undefined) variables[variable.name] = value;
  }
  return variables;
}

function readSource({ sources }: Deps, source: EnvironmentSource): Variables {
  const isSecret = source.secretRef !== undefined;
  const { name = '', optional } = source.secretRef ?? source.configMapRef ?? {};
  const found = (isSecret ? sources.secrets : sources.configMaps)[name];
  if (found === undefined && optional !== true) {
    throw configError(`${isSecret ? 'secret' : 'configmap'} "${name}" not found`);
  }
  const entries = Object.entries(found ?? {}).map(([key, value]) => [`${source.prefix ?? ''}${key}`, text(value)]);
  return Object.fromEntries(entries) as Variables;
}

function readVariable(deps: Deps, variable: EnvironmentVariable, known: Variables): string | undefined {
  const from = variable.valueFrom;
  if (from === undefined) return expand(variable.value ?? '', known);
  if (from.fieldRef !== undefined) return readField(deps.pod, from.fieldRef, deps.machine);
  if (from.resourceFieldRef !== undefined) {
    return readResource(deps.pod, deps.container, from.resourceFieldRef, deps.machine);
  }
  if (from.secretKeyRef !== undefined) return readKey('secret', deps.sources.secrets, from.secretKeyRef);
  if (from.configMapKeyRef !== undefined) return readKey('configmap', deps.sources.configMaps, from.configMapKeyRef);
  return undefined;
}

function readKey(kind: string, objects: PodSources['secrets'], reference: KeyReference): string | undefined {
  const { name = '', key, optional } = reference;
  const value = objects[name]?.[key];
  if (value !== undefined) return text(value);
  if (optional === true) return undefined;
  if (objects[name] === undefined) throw configError(`${kind} "${name}" not found`);
  throw configError(`couldn't find key ${key} in ${kind} ${name}`);
}
