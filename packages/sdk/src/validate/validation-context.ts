import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError, isError, type KubeObject, parseApiVersion } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import type { ValidationFile } from './validation-file.ts';

/** One tenant of the validation: a control plane and a service object of one name. */
export interface ValidationTenant {
  readonly name: string;
  /** On the onboarding cluster. */
  readonly namespace: string;
}

/** Everything that the steps of a validation share. */
export interface ValidationContext {
  readonly file: ValidationFile;
  readonly platform: Client;
  readonly onboarding: Client;
  /** Part of all names, so that validations do not interfere. */
  readonly id: string;
  /** The namespace of the tenants' objects on the onboarding cluster. */
  readonly namespace: string;
  /** The collection of service objects; known once the provider is initialized. */
  readonly services: ResourceRef;
  readonly configs: ResourceRef;
  /** Returns a client of any cluster with all rights; the context disposes of it. */
  connect(cluster: { readonly name: string; readonly namespace: string }): Promise<Client>;
  /** Returns a client of a kubeconfig; the context disposes of it. */
  open(kubeconfig: string): Client;
  /** Whether the ServiceProvider existed before, so that it is not deleted. */
  readonly isProviderForeign: boolean;
  /** Determines what is known only once the provider is installed, and creates a workspace for the tenants. */
  learn(): Promise<void>;
  /** Reports what is being waited for. */
  progress(text: string): void;
  readonly signal: AbortSignal;
}

/** The polling interval. */
const pauseMs = 250;

export interface UntilOptions {
  /** Default 60,000. */
  readonly timeoutMs?: number;
}

/**
 * Polls until a value is found, and returns it. Errors of `look` count as not found; the last one is part of the
 * timeout error.
 */
export async function until<T>(
  { progress, signal }: Pick<ValidationContext, 'progress' | 'signal'>,
  what: string,
  look: () => Promise<T | undefined | false>,
  { timeoutMs = 60_000 }: UntilOptions = {},
): Promise<T> {
  progress(`waiting for ${what}`);
  const deadline = performance.now() + timeoutMs;
  let last = '';
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      last = '';
    } catch (error) {
      last = error instanceof Error ? `: ${error.message}` : '';
    }
    signal.throwIfAborted();
    if (performance.now() > deadline) {
      throw new ChandleryError('Timeout', `${what} did not come about within ${timeoutMs / 1000} s${last}`);
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

/** Reads an object; undefined when it does not exist. */
export async function find<T extends KubeObject>(client: Client, ref: ObjectRef): Promise<T | undefined> {
  try {
    return await client.get<T>(ref);
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Deletes an object; a missing one is no error. */
export async function drop(client: Client, ref: ObjectRef): Promise<void> {
  try {
    await client.delete(ref);
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

/** The collection of a kind, from its definition on the server. */
export async function resourceOf(client: Client, { apiVersion, kind }: KubeObject): Promise<ResourceRef> {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const crds: ResourceRef = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
  for await (const crd of client.listAll<CrdObject>(crds)) {
    const { spec } = crd;
    if (spec.group === group && spec.names.kind === kind) return { group, version, plural: spec.names.plural };
  }
  throw new ChandleryError('NotFound', `the kind ${kind} of ${apiVersion} is not served`);
}

interface CrdObject extends KubeObject {
  spec: { group: string; names: { kind: string; plural: string } };
}

/** Asserts a fact. */
export function hold(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new ChandleryError('NotAsExpected', otherwise);
}
