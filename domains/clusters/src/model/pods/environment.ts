import type { PodSources } from '../../ports.ts';
import { expand } from './expand.ts';
import type { Container, EnvironmentSource, EnvironmentVariable, KeyReference, Pod } from './pod.ts';
import { configError, type Machine, readField, readResource } from './pod-fields.ts';

type Variables = Record<string, string>;

interface Needs {
  readonly pod: Pod;
  readonly container: Container;
  readonly sources: PodSources;
  readonly machine: Machine;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The container's variables over those given: `envFrom` first, then `env`, each seeing the ones before it. */
export function resolveEnvironment(needs: Needs, given: Readonly<Record<string, string>>): Variables {
  const variables: Variables = { ...given };
  for (const source of needs.container.envFrom ?? []) Object.assign(variables, readSource(needs, source));
  for (const variable of needs.container.env ?? []) {
    const value = readVariable(needs, variable, variables);
    if (value !== undefined) variables[variable.name] = value;
  }
  return variables;
}

function readSource({ sources }: Needs, source: EnvironmentSource): Variables {
  const isSecret = source.secretRef !== undefined;
  const { name = '', optional } = source.secretRef ?? source.configMapRef ?? {};
  const found = (isSecret ? sources.secrets : sources.configMaps)[name];
  if (found === undefined && optional !== true) {
    throw configError(`${isSecret ? 'secret' : 'configmap'} "${name}" not found`);
  }
  const entries = Object.entries(found ?? {}).map(([key, value]) => [`${source.prefix ?? ''}${key}`, text(value)]);
  return Object.fromEntries(entries) as Variables;
}

function readVariable(needs: Needs, variable: EnvironmentVariable, known: Variables): string | undefined {
  const from = variable.valueFrom;
  if (from === undefined) return expand(variable.value ?? '', known);
  if (from.fieldRef !== undefined) return readField(needs.pod, from.fieldRef, needs.machine);
  if (from.resourceFieldRef !== undefined) {
    return readResource(needs.pod, needs.container, from.resourceFieldRef, needs.machine);
  }
  if (from.secretKeyRef !== undefined) return readKey('secret', needs.sources.secrets, from.secretKeyRef);
  if (from.configMapKeyRef !== undefined) return readKey('configmap', needs.sources.configMaps, from.configMapKeyRef);
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
