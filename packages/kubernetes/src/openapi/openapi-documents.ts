import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KindDeclaration } from '@chandlery/api';
import { type DiscoveryVersion, discoveryGroupsOf, type KindSource } from '../discovery/discovery-groups.ts';
import { DocumentCache } from '../discovery/document-cache.ts';
import { type RenderedDocument, renderDocument } from '../discovery/rendered-document.ts';
import { metaSchemas } from './meta-schemas.ts';
import { openapiDocument } from './openapi-document.ts';
import { basePath } from './paths.ts';
import { fragmentOf, isRendered } from './resource-fragment.ts';

/** Rendering a large kind takes about a millisecond. */
const fragmentsPerTurn = 20;

export interface OpenapiDocumentsOptions {
  /** Kinds that are never stored: those that are asked or sent to sub-resources, and those that others serve. */
  readonly reviews: readonly KindDeclaration[];
  /** Default 32 MiB. */
  readonly maxBytes?: number;
}

/** A group version's document and whether the hash in the URL was its own, so that it may be cached for ever. */
export interface FoundDocument extends RenderedDocument {
  readonly isImmutable: boolean;
}

/**
 * The OpenAPI documents of all logical clusters, rendered when first asked for.
 *
 * A document is kept by what it is made of, so clusters with equal kinds in a group version share it, whatever else
 * they serve.
 */
export class OpenapiDocuments {
  readonly #reviews: readonly KindDeclaration[];
  readonly #documents: DocumentCache;
  readonly #indexes = new DocumentCache(4 * 1024 * 1024);

  constructor(options: OpenapiDocumentsOptions) {
    this.#reviews = options.reviews;
    this.#documents = new DocumentCache(options.maxBytes ?? 32 * 1024 * 1024);
  }

  /**
   * `/openapi/v3`: which documents there are. kubectl and client-go resolve addresses that begin with `/openapi/v3`
   * against the server URL of the kubeconfig, so that one index fits all clusters; `prefix`, such as `/clusters/a`, is
   * for clients that resolve them against the host's root instead. Default: none.
   */
  index(kinds: KindSource, prefix = ''): RenderedDocument {
    return this.#indexes.get(`${kinds.signature} ${prefix}`, () => {
      const entries = this.#versions(kinds).map(version => {
        const path = basePath(version).slice(1);
        return [
          path,
          { serverRelativeURL: `${prefix}/openapi/v3/${path}?hash=${contentHash(version, this.#reviews)}` },
        ] as const;
      });
      return renderDocument({ paths: Object.fromEntries(entries) });
    });
  }

  /** `/openapi/v3/api/v1` and `/openapi/v3/apis/<group>/<version>`; undefined when nothing of it is served. */
  groupVersion(kinds: KindSource, group: string, version: string, hash?: string): FoundDocument | undefined {
    const found = this.#versions(kinds).find(candidate => candidate.group === group && candidate.version === version);
    if (found === undefined) return undefined;
    const key = contentHash(found, this.#reviews);
    // The hash covers all that the document is made of, and is much shorter than its bytes.
    const document = this.#documents.get(key, () => ({
      body: openapiDocument(found, this.#reviews),
      contentType: 'application/json',
      etag: `"${key}"`,
    }));
    return { ...document, isImmutable: hash === key };
  }

  /** Renders what {@link groupVersion} will need, a part at a time, so that others can work in between. */
  async prepare(kinds: KindSource, group: string, version: string): Promise<void> {
    const found = this.#versions(kinds).find(candidate => candidate.group === group && candidate.version === version);
    const missing = (found?.resources ?? []).filter(resource => !isRendered(resource));
    for (const [index, resource] of missing.entries()) {
      fragmentOf(resource);
      if (index % fragmentsPerTurn === fragmentsPerTurn - 1) await nextTurn();
    }
  }

  #versions(kinds: KindSource): DiscoveryVersion[] {
    return discoveryGroupsOf(kinds, this.#reviews).flatMap(group => group.versions);
  }
}

/** To be raised when equal kinds are published differently; clients keep documents for ever by hash. */
const publicationLevel = 1;

const sharedPart = JSON.stringify([publicationLevel, metaSchemas]);
const declarationHashes = new WeakMap<KindDeclaration, string>();

/** Names a group version's document by everything that it is made of, without rendering it. */
function contentHash({ group, version, resources }: DiscoveryVersion, reviews: readonly KindDeclaration[]): string {
  const hash = createHash('sha256').update(sharedPart).update(`${group}/${version}`);
  for (const declaration of [...resources.map(resource => resource.declaration), ...reviews])
    hash.update(hashOf(declaration));
  return hash.digest('hex').slice(0, 32).toUpperCase();
}

/** Declarations never change, so each is hashed once. */
function hashOf(declaration: KindDeclaration): string {
  const known = declarationHashes.get(declaration);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(JSON.stringify(declaration)).digest('hex');
  declarationHashes.set(declaration, hash);
  return hash;
}
