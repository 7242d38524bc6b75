import type { ObjectState } from '@chandlery/api';
import { clusterPath } from './kinds.ts';
import { requestJson } from './request.ts';

/** What a search asks for, as `spec` of an ObjectSearch. */
export interface SearchRequest {
  /** Part of a name, namespace or label. Default: anything. */
  readonly text?: string;
  /** Default: any. */
  readonly states?: readonly ObjectState[];
  /** Default: all. */
  readonly namespace?: string;
  /** Default: by urgency; `changed`: what was changed last comes first. */
  readonly orderBy?: 'urgency' | 'changed';
  readonly limit?: number;
}

/** An object that a search has found. */
export interface FoundObject {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The name that people gave it, where its own is an id. */
  readonly displayName?: string;
  readonly state: ObjectState;
  readonly reason?: string;
  readonly message?: string;
  readonly changedAt?: string;
}

export interface SearchResult {
  readonly items: readonly FoundObject[];
  /** How many objects the search has found, also beyond the limit. */
  readonly total: number;
}

/** Searches the objects of all kinds of a cluster that the user may list, in one request. */
export async function searchObjects(cluster: string, spec: SearchRequest, signal?: AbortSignal): Promise<SearchResult> {
  const { status } = await requestJson<{ readonly status: SearchResult }>(
    `${clusterPath(cluster)}/apis/search.chandlery.io/v1alpha1/objectsearches`,
    {
      method: 'POST',
      body: { apiVersion: 'search.chandlery.io/v1alpha1', kind: 'ObjectSearch', spec },
      ...(signal && { signal }),
    },
  );
  return status;
}
