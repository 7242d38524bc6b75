import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { isConditionTrue } from './conditions.ts';

const crds: ResourceRef = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

export interface InstallOptions {
  readonly fieldManager: string;
  readonly signal?: AbortSignal;
  /** How long kinds may take to be served. Default 30,000. */
  readonly timeoutMs?: number;
}

type InstallClient = Pick<Client, 'patch' | 'get' | 'list'>;

/** Applies CustomResourceDefinitions and waits until their kinds are served. May be called again with newer ones. */
export async function installKinds(
  client: InstallClient,
  definitions: readonly KubeObject[],
  { fieldManager, signal, timeoutMs = 30_000 }: InstallOptions,
): Promise<void> {
  const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]);
  for (const body of definitions) {
    const ref = { ...crds, name: body.metadata.name ?? '' };
    await client.patch(ref, { type: 'apply', body, force: true }, { fieldManager, signal: limit });
  }
  for (const { metadata } of definitions) {
    const name = metadata.name ?? '';
    await until(() => isEstablished(client, name, limit), limit);
  }
  for (const definition of definitions) await until(() => isServed(client, definition, limit), limit);
}

/** Nothing announces that a kind is served, which comes within milliseconds. */
async function until(isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (let pauseMs = 10; !(await isSo()); pauseMs = Math.min(pauseMs * 2, 1000)) {
    await new Promise(resolve => setTimeout(resolve, pauseMs));
    signal.throwIfAborted();
  }
}

async function isEstablished(client: InstallClient, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    return isConditionTrue(await client.get({ ...crds, name }, { signal }), 'Established');
  } catch (error) {
    if (isError(error, 'NotFound')) return false;
    throw error;
  }
}

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly served?: boolean }[];
}

/** The part of a server that answers learns of a kind a moment after its condition is stored. */
async function isServed(client: InstallClient, definition: KubeObject, signal: AbortSignal): Promise<boolean> {
  const { group, names, versions } = definition['spec'] as DefinitionSpec;
  const version = versions.find(({ served }) => served)?.name;
  if (version === undefined) return true;
  try {
    await client.list({ group, version, plural: names.plural }, { limit: 1, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // Who may install kinds need not be allowed to read their objects: then the condition has to do.
    return !isError(error, 'NotFound', 'ServiceUnavailable');
  }
}
