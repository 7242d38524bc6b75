import { authored, type KubeObject } from '@chandlery/api';
import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { ApiFailure } from '../../api/api-failure.ts';
import { collectionPath, objectPath, type ServedKind } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { type ObjectPlace, readPast } from '../../api/revisions.ts';
import { changeQuery } from '../../routing/location.ts';
import { useBusy } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { authoredYaml, lastWriter } from './editable-yaml.ts';

interface RestorePanelProps {
  readonly place: ObjectPlace;
  readonly kind: ServedKind;
  readonly revision: string;
  /** Undefined: it was deleted and is created again. */
  readonly present: KubeObject | undefined;
}

type Outcome =
  | { readonly type: 'accepted' }
  | { readonly type: 'restored' }
  | { readonly type: 'failed'; readonly error: unknown };

/** Gives the object the content of an earlier revision, by a new write, after it was shown what changes. */
export function RestorePanel({ place, kind, revision, present }: RestorePanelProps) {
  const { value: past, error } = useLoaded(signal => readPast(place, { revision }, signal), [place.cluster, revision]);
  if (error !== undefined) return <FailureNotice goal={`read revision ${revision}`} error={error} />;
  if (past === undefined) return <Loading what={`revision ${revision}`} />;
  return <Restore place={place} kind={kind} revision={revision} present={present} past={past} />;
}

function Restore({ place, kind, revision, present, past }: RestorePanelProps & { readonly past: KubeObject }) {
  const { cluster, namespace = '', name } = place;
  const [base, setBase] = useState(present);
  const [outcome, setOutcome] = useState<Outcome>();
  const { busyReason, run } = useBusy();
  const denial = useDenial({ cluster, verb: base === undefined ? 'create' : 'update', ...kind, namespace, name });
  const isChanged = present !== undefined && contentOf(present) !== contentOf(base) && outcome?.type !== 'restored';
  const write = async (isDryRun: boolean): Promise<void> => {
    try {
      // A later version that differs in its status alone is no conflict.
      await writeBack({ place, kind, past, base: isChanged ? base : present, isDryRun });
      setOutcome({ type: isDryRun ? 'accepted' : 'restored' });
    } catch (thrown) {
      setOutcome({ type: 'failed', error: thrown });
    }
  };
  const close = (): void => changeQuery({ restore: undefined });
  const isConflict = isChanged || (outcome?.type === 'failed' && isConflictError(outcome.error));
  const blocked = isConflict ? 'It was changed meanwhile: compare it again first' : (denial ?? busyReason);
  if (outcome?.type === 'restored')
    return (
      <Notice kind="success">
        <strong>✓ Restored</strong>
        <p>The object has the content of revision {revision}, as a new revision.</p>
        <div className="actions">
          <Button onClick={close}>Close</Button>
        </div>
      </Notice>
    );
  return (
    <section className="card comparison" aria-label={`Restore revision ${revision}`}>
      <h2>Restore revision {revision}</h2>
      <p>
        {base === undefined
          ? `The ${kind.kind} was deleted. It is created again with this content.`
          : 'The object gets the content of this revision, except its status. What changes is marked.'}
      </p>
      <div className="toolbar">
        <Button kind="primary" disabledReason={blocked} onClick={() => void run(() => write(false))}>
          Restore
        </Button>
        <Button disabledReason={blocked} onClick={() => void run(() => write(true))}>
          Check
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
      {isConflict && <Conflict present={present} onContinue={() => (setBase(present), setOutcome(undefined))} />}
      {outcome?.type === 'accepted' && (
        <Notice kind="success">✓ The server would accept this. Nothing was written yet.</Notice>
      )}
      {outcome?.type === 'failed' && !isConflict && (
        <FailureNotice goal={`restore revision ${revision}`} error={outcome.error} />
      )}
      <CodeEditor
        label={`What restoring revision ${revision} changes`}
        value={authoredYaml(past)}
        original={base === undefined ? undefined : authoredYaml(base)}
        isReadOnly
      />
    </section>
  );
}

const contentOf = (object: KubeObject | undefined): string => (object === undefined ? '' : authoredYaml(object));

const isConflictError = (error: unknown): boolean => error instanceof ApiFailure && error.status === 409;

interface WriteBack extends Pick<RestorePanelProps, 'place' | 'kind'> {
  readonly past: KubeObject;
  readonly base: KubeObject | undefined;
  readonly isDryRun: boolean;
}

/** Replaces the version that was compared, and no later one; a deleted object is created. */
async function writeBack({ place: { cluster, ...name }, kind, past, base, isDryRun }: WriteBack): Promise<void> {
  const wanted = authored(past);
  const query = { fieldManager: 'chandlery-console', dryRun: isDryRun ? 'All' : undefined };
  if (base === undefined) {
    await request(collectionPath(cluster, kind, name.namespace), { method: 'POST', query, body: wanted });
    return;
  }
  const { resourceVersion, uid } = base.metadata;
  const metadata = { ...wanted.metadata, resourceVersion, uid };
  await request(objectPath(cluster, kind, name), { method: 'PUT', query, body: { ...wanted, metadata } });
}

interface ConflictProps {
  readonly present: KubeObject | undefined;
  readonly onContinue: () => void;
}

function Conflict({ present, onContinue }: ConflictProps) {
  const writer = present && lastWriter(present);
  return (
    <Notice kind="warning">
      <strong>This object was changed while you looked{writer === undefined ? '' : ` (by ${writer})`}</strong>
      <p>Nothing was written. Compare the revision with what is there now before you restore it.</p>
      <div className="actions">
        <Button kind="primary" onClick={onContinue}>
          Compare again
        </Button>
      </div>
    </Notice>
  );
}
