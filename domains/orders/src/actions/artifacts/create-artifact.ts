import { isError } from '@chandlery/api';
import type { Artifact } from '../../kinds/index.ts';
import { withoutUndefined } from '../../model/bodies/body-fields.ts';
import { type ArtifactRow, createRow } from '../../registry/orders-registry.ts';
import type { ActionDeps, Actor } from '../action-deps.ts';
import { guardContent, tooLarge } from '../guard-content.ts';
import { artifactRow } from './find-artifact.ts';
import { findCollection } from './find-collection.ts';

/** What is said of a new artifact. */
export interface NewArtifact {
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly policy?: string | undefined;
  /** The URN or the name of a collection. */
  readonly collection?: string | undefined;
  /** The UUID of the order that produced it. */
  readonly order?: string | undefined;
}

/** Content on its way. */
export interface ArtifactContent {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Undefined: the client has not said. */
  readonly length: number | undefined;
}

type ArtifactStatusFields = NonNullable<Artifact['status']>;

/** Creates an artifact with all of its content, which is streamed to the blob store. */
export async function createWithContent(
  deps: ActionDeps,
  actor: Actor,
  { artifact, content }: { readonly artifact: NewArtifact; readonly content: ArtifactContent },
): Promise<ArtifactRow> {
  const { budget, blobs, blobLocks, settings } = deps;
  const { length = 0 } = content;
  if (length > settings.artifactMaxBytes) throw tooLarge(settings.artifactMaxBytes);
  budget.checkRecords(actor.tenant);
  using reservation = budget.reserve(actor.tenant, length);
  const guard = { maxBytes: settings.artifactMaxBytes, reservedBytes: length, reservation };
  await using staged = await blobs.stage(guardContent(content.bytes, guard));
  const { digest, size } = staged;
  // Awaited here: the staged bytes are discarded when this function ends.
  return await blobLocks.run(digest, async () => {
    await staged.keep();
    return commitArtifact(deps, actor, artifact, { status: 'ready', size, digest });
  });
}

/** Creates an artifact whose content is to come. `uploadLength` undefined: the client does not know yet. */
export async function createPending(
  deps: ActionDeps,
  actor: Actor,
  { artifact, uploadLength }: { readonly artifact: NewArtifact; readonly uploadLength: number | undefined },
): Promise<ArtifactRow> {
  const { budget, settings, clock } = deps;
  if (uploadLength !== undefined && uploadLength > settings.artifactMaxBytes) throw tooLarge(settings.artifactMaxBytes);
  budget.checkRecords(actor.tenant);
  budget.checkUploads(actor.tenant);
  using _reservation = budget.reserve(actor.tenant, uploadLength ?? 0);
  const uploadExpiresAt = new Date(clock.now().getTime() + settings.uploadExpiryMs).toISOString();
  return await commitArtifact(deps, actor, artifact, {
    status: 'pending',
    size: 0,
    uploadExpiresAt,
    ...(uploadLength === undefined ? {} : { uploadLength }),
  });
}

const maxAttempts = 5;

/** Two artifacts may create their collection at the same time: the one that comes second finds it. */
async function commitArtifact(
  deps: Pick<ActionDeps, 'registry'>,
  { tenant, username }: Actor,
  { collection, ...fields }: NewArtifact,
  status: ArtifactStatusFields,
): Promise<ArtifactRow> {
  const { registry } = deps;
  const id = registry.newId();
  for (let attempt = 1; ; attempt++) {
    const found = collection === undefined ? undefined : findCollection(registry, tenant, collection);
    const spec = withoutUndefined({ ...fields, creator: username, collections: found && [found.id] });
    try {
      await registry.commit([...(found?.writes ?? []), createRow({ table: 'artifacts', id, tenant, spec, status })]);
      return artifactRow(registry, id);
    } catch (error) {
      const isRace = isError(error, 'AlreadyExists', 'UniqueViolation') && (found?.writes.length ?? 0) > 0;
      if (!isRace || attempt === maxAttempts) throw error;
      await new Promise(resolve => setTimeout(resolve, 10 * attempt));
    }
  }
}
