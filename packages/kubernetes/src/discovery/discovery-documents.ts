import type { KindDeclaration } from '@chandlery/api';
import { type AggregatedVersion, aggregatedContentType, aggregatedDiscovery } from './aggregated.ts';
import { type DiscoveryGroups, discoveryGroupsOf, type KindSource } from './discovery-groups.ts';
import { DocumentCache } from './document-cache.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './legacy.ts';
import { type RenderedDocument, renderDocument } from './rendered-document.ts';

export interface DiscoveryDocumentsOptions {
  /** Kinds that are never stored: those that are asked or sent to sub-resources, and those that others serve. */
  readonly reviews: readonly KindDeclaration[];
  /** Default 8 MiB. */
  readonly maxBytes?: number;
}

/** What discovery answers, rendered once for all logical clusters that serve the same kinds. */
export class DiscoveryDocuments {
  readonly #reviews: readonly KindDeclaration[];
  readonly #cache: DocumentCache;

  constructor(options: DiscoveryDocumentsOptions) {
    this.#reviews = options.reviews;
    this.#cache = new DocumentCache(options.maxBytes ?? 8 * 1024 * 1024);
  }

  /** `/api` or `/apis`, aggregated in the given version or, without one, in the legacy form. */
  root(kinds: KindSource, root: '/api' | '/apis', aggregated?: AggregatedVersion): RenderedDocument {
    return this.#cache.get(`${kinds.signature} ${root} ${aggregated ?? ''}`, () => {
      const catalogue = this.#catalogue(kinds);
      if (aggregated !== undefined) {
        return renderDocument(aggregatedDiscovery(catalogue, root, aggregated), aggregatedContentType(aggregated));
      }
      return renderDocument(root === '/api' ? apiVersions(catalogue) : apiGroupList(catalogue));
    });
  }

  /** `/apis/<group>`; undefined when nothing of the group is served. */
  group(kinds: KindSource, group: string): RenderedDocument | undefined {
    if (group === '') return undefined;
    return this.#cache.get(`${kinds.signature} group ${group}`, () => {
      const found = this.#catalogue(kinds).find(({ name }) => name === group);
      return found && renderDocument(apiGroup(found));
    });
  }

  /** `/api/<version>` (the group being empty) or `/apis/<group>/<version>`; undefined when nothing of it is served. */
  groupVersion(kinds: KindSource, group: string, version: string): RenderedDocument | undefined {
    return this.#cache.get(`${kinds.signature} resources ${group}/${version}`, () => {
      const found = this.#catalogue(kinds).find(({ name }) => name === group);
      const resources = found?.versions.find(candidate => candidate.version === version);
      return resources && renderDocument(apiResourceList(resources));
    });
  }

  #catalogue(kinds: KindSource): DiscoveryGroups {
    return discoveryGroupsOf(kinds, this.#reviews);
  }
}
