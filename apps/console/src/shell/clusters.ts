import type { KubeObject } from '@chandlery/api';
import { ApiFailure } from '../api/api-failure.ts';
import { requestJson } from '../api/request.ts';

interface ListOf<T> {
  readonly items: readonly T[];
}

interface Project extends KubeObject {
  readonly status?: { readonly cluster?: { readonly name?: string } };
}

/** Where tenants begin. */
export const defaultCluster = 'onboarding';

/** The clusters that the user may open: all for who may list them, otherwise those of the user's projects. */
export async function readClusters(signal: AbortSignal): Promise<readonly string[]> {
  const all = await listOrNone('/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters', signal);
  if (all !== undefined) return all.map(({ metadata }) => metadata.name ?? '').toSorted();
  const projects = await listOrNone<Project>('/clusters/onboarding/apis/core.openmcp.cloud/v1alpha1/projects', signal);
  if (projects === undefined) return [];
  return [defaultCluster, ...projects.flatMap(({ status }) => status?.cluster?.name ?? []).toSorted()];
}

async function listOrNone<T extends KubeObject>(path: string, signal: AbortSignal): Promise<readonly T[] | undefined> {
  try {
    return (await requestJson<ListOf<T>>(path, { signal, isQuietOn401: true })).items;
  } catch (error) {
    if (error instanceof ApiFailure && [401, 403, 404].includes(error.status)) return undefined;
    throw error;
  }
}
