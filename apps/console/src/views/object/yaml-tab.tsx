import type { KubeObject } from '@chandlery/api';
import { useEffect, useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { ApiFailure } from '../../api/api-failure.ts';
import { objectPath, type ServedKind } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { FailureNotice, Notice } from '../../ui/notice.tsx';
import { editableYaml, lastWriter, readableYaml, replacementOf } from './editable-yaml.ts';
import { draftOf, keepDraft } from './yaml-drafts.ts';

interface YamlTabProps {
  readonly kind: ServedKind;
  readonly object: KubeObject;
  /** Whether it is an earlier version, which is not edited. Default false. */
  readonly isPast?: boolean;
}

/** The object as YAML, to read and to edit. */
export default function YamlTab({ kind, object, isPast = false }: YamlTabProps) {
  const { cluster } = useCluster();
  const { namespace = '', name = '' } = object.metadata;
  const place = objectPath(cluster, kind, { namespace, name });
  const [isEditing, setEditing] = useState(() => !isPast && draftOf(place) !== undefined);
  const [isSaved, setSaved] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const denial = useDenial({ cluster, verb: 'update', ...kind, namespace, name });
  const notUpdatable = isPast
    ? 'This is an earlier version: restore it in its history'
    : kind.verbs.includes('update')
      ? denial
      : `${kind.kind} objects cannot be changed`;
  if (isEditing)
    return (
      <YamlEdit
        kind={kind}
        live={object}
        onClose={saved => {
          keepDraft(place, undefined);
          setEditing(false);
          setSaved(saved);
        }}
      />
    );
  const edit = (): void => {
    setEditing(true);
    setSaved(false);
  };
  return (
    <>
      <div className="toolbar">
        <Button kind="primary" disabledReason={notUpdatable} onClick={edit}>
          Edit
        </Button>
        <Button
          onClick={() => void navigator.clipboard.writeText(readableYaml(object)).then(() => setCopied(true))}
          onBlur={() => setCopied(false)}
        >
          {isCopied ? '✓ Copied' : 'Copy'}
        </Button>
        {isSaved && <span role="status">✓ Saved</span>}
      </div>
      <CodeEditor key="read" label={`YAML of ${kind.kind} ${name}`} value={readableYaml(object)} isReadOnly />
    </>
  );
}

interface YamlEditProps {
  readonly kind: ServedKind;
  /** The present state of the object; changes while it is edited. */
  readonly live: KubeObject;
  readonly onClose: (isSaved: boolean) => void;
}

type Outcome =
  | { readonly type: 'accepted' }
  | { readonly type: 'conflict' }
  | { readonly type: 'failed'; readonly error: unknown };

function YamlEdit({ kind, live, onClose }: YamlEditProps) {
  const { cluster } = useCluster();
  const { namespace = '', name = '' } = live.metadata;
  const place = objectPath(cluster, kind, { namespace, name });
  const [base, setBase] = useState(() => draftOf(place)?.base ?? live);
  const [text, setText] = useState(() => draftOf(place)?.text ?? editableYaml(live));
  const [isCompared, setCompared] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const liveText = editableYaml(live);
  const isChangedMeanwhile = liveText !== editableYaml(base);
  useEffect(() => {
    // A later version that differs in its status alone is no conflict.
    if (!isChangedMeanwhile) setBase(live);
  }, [live, isChangedMeanwhile]);
  useEffect(() => {
    keepDraft(place, text === editableYaml(base) ? undefined : { text, base });
  }, [place, text, base]);
  const write = async (isDryRun: boolean): Promise<void> => {
    try {
      await request(place, {
        method: 'PUT',
        query: { fieldManager: 'chandlery-console', fieldValidation: 'Strict', dryRun: isDryRun ? 'All' : undefined },
        body: replacementOf(text, base),
      });
      if (isDryRun) setOutcome({ type: 'accepted' });
      else onClose(true);
    } catch (error) {
      const isConflict = error instanceof ApiFailure && error.status === 409;
      setOutcome(isConflict ? { type: 'conflict' } : { type: 'failed', error });
    }
  };
  const continueWithLive = (): void => {
    setBase(live);
    setCompared(true);
    setOutcome(undefined);
  };
  const isConflict = isChangedMeanwhile || outcome?.type === 'conflict';
  return (
    <>
      <div className="toolbar">
        <ActionButton
          kind="primary"
          onAction={() => write(false)}
          disabledReason={isConflict ? 'Resolve the conflict first' : undefined}
        >
          Save
        </ActionButton>
        <ActionButton onAction={() => write(true)}>Check</ActionButton>
        <Button onClick={() => onClose(false)}>Cancel</Button>
        <label className="check">
          <input type="checkbox" checked={isCompared} onChange={event => setCompared(event.target.checked)} />
          Show changes against the live version
        </label>
      </div>
      {isConflict && <Conflict live={live} onContinue={continueWithLive} onDiscard={() => setText(liveText)} />}
      {outcome?.type === 'accepted' && (
        <Notice kind="success">✓ The server would accept this. Nothing was saved yet.</Notice>
      )}
      {outcome?.type === 'failed' && <FailureNotice goal={`save ${kind.kind} "${name}"`} error={outcome.error} />}
      <CodeEditor
        key="edit"
        label={`Edit ${kind.kind} ${name}`}
        value={text}
        original={isCompared ? liveText : undefined}
        onChange={next => {
          setText(next);
          setOutcome(undefined);
        }}
      />
    </>
  );
}

interface ConflictProps {
  readonly live: KubeObject;
  readonly onContinue: () => void;
  readonly onDiscard: () => void;
}

function Conflict({ live, onContinue, onDiscard }: ConflictProps) {
  const writer = lastWriter(live);
  return (
    <Notice kind="warning">
      <strong>This object was changed while you edited it{writer === undefined ? '' : ` (by ${writer})`}</strong>
      <p>Your text is kept. Compare it with the live version before you save: what differs is marked.</p>
      <div className="actions">
        <Button kind="primary" onClick={onContinue}>
          Compare and continue
        </Button>
        <Button
          onClick={() => {
            onDiscard();
            onContinue();
          }}
        >
          Discard my text
        </Button>
      </div>
    </Notice>
  );
}
