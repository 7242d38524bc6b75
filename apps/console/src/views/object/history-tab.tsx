import type { KubeObject, RevisionEntry } from '@chandlery/api';
import { useEffect, useState } from 'react';
import { ApiFailure } from '../../api/api-failure.ts';
import type { ServedKind } from '../../api/kinds.ts';
import { type ObjectPlace, readPast, readRevisions } from '../../api/revisions.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Time } from '../../ui/time.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { authoredYaml } from './editable-yaml.ts';
import { pastQuery } from './past-object.ts';
import { RestorePanel } from './restore-panel.tsx';
import { TimeField } from './time-field.tsx';

interface HistoryTabProps {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
  /** The present version; undefined when the object does not exist. */
  readonly present: KubeObject | undefined;
}

/** The versions of an object: to look at, to compare, and to go back to. */
export default function HistoryTab({ kind, namespace, name, present }: HistoryTabProps) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const place: ObjectPlace = { cluster, kind, namespace, name };
  const { items, next, error, readMore } = useRevisions(place, present?.metadata.resourceVersion);
  const [from, to, restored] = ['from', 'to', 'restore'].map(parameter => query.get(parameter) ?? '') as [
    string,
    string,
    string,
  ];
  if (error !== undefined) return <NoHistory kind={kind} error={error} />;
  if (items === undefined) return <Loading what="the history" />;
  return (
    <>
      <div className="toolbar">
        <TimeField
          label="As of"
          value={query.get('at') ?? ''}
          onChoose={at =>
            changeQuery({ ...pastQuery(at === '' ? undefined : { at }), tab: at === '' ? 'history' : undefined })
          }
        />
      </div>
      {restored !== '' && (
        <RestorePanel key={restored} place={place} kind={kind} revision={restored} present={present} />
      )}
      <RevisionTable items={items} from={from} to={to} isRestorable={kind.verbs.includes('update')} />
      {next !== undefined && <Button onClick={readMore}>Show older revisions</Button>}
      {from !== '' && to !== '' && from !== to ? (
        <Comparison place={place} from={from} to={to} />
      ) : (
        <p className="quiet">Choose two revisions to compare them</p>
      )}
    </>
  );
}

/** Why there is no history, in the words of the server. */
function NoHistory({ kind, error }: { readonly kind: ServedKind; readonly error: unknown }) {
  if (!(error instanceof ApiFailure) || ![404, 405].includes(error.status))
    return <FailureNotice goal="read the history" error={error} />;
  const isKept = error.status === 404;
  return (
    <EmptyState title={isKept ? `No revision of this ${kind.kind} is kept` : `${kind.kind} has no history`}>
      <p className="quiet">{plainText(error.message)}</p>
    </EmptyState>
  );
}

interface Revisions {
  readonly items?: readonly RevisionEntry[];
  readonly next?: string | undefined;
  readonly error?: unknown;
}

/** The revisions, read again when the object has changed. */
function useRevisions(place: ObjectPlace, version: string | undefined): Revisions & { readonly readMore: () => void } {
  const [state, setState] = useState<Revisions>({});
  const { cluster, kind, namespace, name } = place;
  useEffect(() => {
    const stop = new AbortController();
    readRevisions(place, undefined, stop.signal).then(
      page => stop.signal.aborted || setState(page),
      (error: unknown) => stop.signal.aborted || setState({ error }),
    );
    return () => stop.abort();
  }, [cluster, kind, namespace, name, version]);
  const readMore = (): void => {
    readRevisions(place, state.next, AbortSignal.timeout(readTimeoutMs)).then(
      page => setState(({ items = [] }) => ({ items: [...items, ...page.items], next: page.next })),
      (error: unknown) => setState({ error }),
    );
  };
  return { ...state, readMore };
}

const readTimeoutMs = 30_000;
const maxFields = 3;

interface RevisionTableProps {
  readonly items: readonly RevisionEntry[];
  readonly from: string;
  readonly to: string;
  readonly isRestorable: boolean;
}

function RevisionTable({ items, from, to, isRestorable }: RevisionTableProps) {
  return (
    <div className="table-frame" role="region" aria-label="Revisions" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Compare</th>
            <th scope="col">Revision</th>
            <th scope="col">When</th>
            <th scope="col">Change</th>
            <th scope="col">By</th>
            <th scope="col">Fields</th>
            <th scope="col">
              <span className="spoken">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(entry => (
            <RevisionRow key={entry.revision} entry={entry} from={from} to={to} isRestorable={isRestorable} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RevisionRowProps extends Pick<RevisionTableProps, 'from' | 'to' | 'isRestorable'> {
  readonly entry: RevisionEntry;
}

const changeWords = { created: '+ Created', updated: '~ Updated', deleted: '✗ Deleted' } as const;

function RevisionRow({ entry, from, to, isRestorable }: RevisionRowProps) {
  const { segments } = useViewLocation();
  const { revision, type, time, manager, subresource, isCurrent = false } = entry;
  const notRestorable = isCurrent
    ? 'This is the present version'
    : type === 'deleted'
      ? 'It records the deletion: choose an earlier one'
      : isRestorable
        ? undefined
        : 'Objects of this kind cannot be changed';
  return (
    <tr>
      <td>
        <Choice side="from" label={`Compare from revision ${revision}`} revision={revision} chosen={from} />
        <Choice side="to" label={`Compare to revision ${revision}`} revision={revision} chosen={to} />
      </td>
      <td>
        <Link className="row-link" href={viewHref(segments, isCurrent ? {} : { revision, tab: 'yaml' })}>
          {revision}
        </Link>
        {isCurrent && <span className="quiet"> present</span>}
      </td>
      <td>
        <Time at={time} />
      </td>
      <td>{changeWords[type]}</td>
      <td>{plainText([manager, subresource && `(${subresource})`].filter(Boolean).join(' ') || '–')}</td>
      <td className="revision-fields">{plainText(fieldsOf(entry))}</td>
      <td className="row-actions">
        <Button
          disabledReason={notRestorable}
          onClick={() => changeQuery({ restore: revision })}
          aria-label={`Restore revision ${revision}`}
        >
          Restore…
        </Button>
      </td>
    </tr>
  );
}

interface ChoiceProps {
  readonly side: 'from' | 'to';
  readonly label: string;
  readonly revision: string;
  readonly chosen: string;
}

const Choice = ({ side, label, revision, chosen }: ChoiceProps) => (
  <label className="revision-choice">
    <input
      type="radio"
      name={`compare-${side}`}
      aria-label={label}
      checked={revision === chosen}
      onChange={() => changeQuery({ [side]: revision }, { replace: true })}
    />
    <span aria-hidden="true">{side}</span>
  </label>
);

function fieldsOf({ changed = [], changedCount = changed.length }: RevisionEntry): string {
  const more = changedCount - Math.min(changed.length, maxFields);
  return `${changed.slice(0, maxFields).join(', ')}${more > 0 ? ` and ${more} more` : ''}` || '–';
}

interface ComparisonProps {
  readonly place: ObjectPlace;
  readonly from: string;
  readonly to: string;
}

/** What authors can write differs between two versions; what the server keeps account of is left out. */
function Comparison({ place, from, to }: ComparisonProps) {
  const { value, error } = useLoaded(
    signal => Promise.all([from, to].map(revision => readPast(place, { revision }, signal))),
    [place.cluster, place.kind, place.namespace, place.name, from, to],
  );
  if (error !== undefined) return <FailureNotice goal={`compare revisions ${from} and ${to}`} error={error} />;
  if (value === undefined) return <Loading what="both revisions" />;
  const [before = '', after = ''] = value.map(authoredYaml);
  return (
    <section className="comparison" aria-label="Comparison">
      <h2>
        Revision {from} compared with {to}
      </h2>
      {before === after && <Notice kind="info">They differ in nothing that authors write, only in the status</Notice>}
      <CodeEditor label={`Revision ${from} compared with ${to}`} value={after} original={before} isReadOnly />
    </section>
  );
}
