import { commitAnew } from '@chandlery/registry';
import type { ActionDeps } from '../../actions/action-deps.ts';
import { removeSecret } from '../../actions/secrets/secret-actions.ts';
import { type ArtifactRow, removeRow } from '../../registry/orders-registry.ts';
import { isUnfinished } from '../../registry/tenant-usage.ts';
import { startDueWorker } from './due-worker.ts';

type Deps = Pick<ActionDeps, 'registry' | 'settings' | 'clock' | 'logger'>;

/** Starts the workers that remove what has ended: old versions, unfinished uploads, secrets. */
export function startRetention(deps: Deps): AsyncDisposable {
  const { registry, settings } = deps;
  const stack = new AsyncDisposableStack();
  stack.use(
    startDueWorker(
      {
        name: 'removing a version of the past',
        table: registry.history,
        dueAt: ({ spec }) => Date.parse(spec.validTo) + settings.historyRetentionMs,
        work: row => registry.commit([removeRow('history', row)]),
      },
      deps,
    ),
  );
  stack.use(
    startDueWorker(
      {
        name: 'removing an unfinished upload',
        table: registry.artifacts,
        dueAt: uploadExpiry,
        work: row => expire(deps, row),
      },
      deps,
    ),
  );
  stack.use(
    startDueWorker(
      {
        name: 'removing a secret',
        table: registry.secrets,
        dueAt: ({ spec }) => (spec.expiresAt === undefined ? undefined : Date.parse(spec.expiresAt)),
        work: ({ id }) => removeSecret(registry, id),
      },
      deps,
    ),
  );
  return stack;
}

const uploadExpiry = (row: ArtifactRow): number | undefined =>
  isUnfinished(row) && row.status.uploadExpiresAt !== undefined ? Date.parse(row.status.uploadExpiresAt) : undefined;

/** An upload that was continued meanwhile has another revision. */
const expire = ({ registry }: Deps, { id, revision }: ArtifactRow): Promise<void> =>
  commitAnew(registry, () => {
    const row = registry.artifacts.get(id);
    return row === undefined || row.revision !== revision ? [] : [removeRow('artifacts', row)];
  });
