import type { KubeObject, ObjectState } from '@chandlery/api';
import { ApiFailure } from '../../api/api-failure.ts';
import { clusterPath, type ServedKind } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { objectHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { Button } from '../../ui/button.tsx';
import { FilterGroup } from '../../ui/filter-group.tsx';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { ExactTime, Time } from '../../ui/time.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { WithPanel } from '../../ui/with-panel.tsx';
import { Fact } from '../fact.tsx';
import { FilterField } from '../kind-list/list-filters.tsx';
import { momentOf, textOfMoment } from '../object/moment.ts';
import { type AuditOutcome, auditFilters, auditRequestOf, hasAuditFilters, outcomes } from './audit-query.ts';
import { EventViews } from './event-views.tsx';

interface AuditSpec {
  readonly time: string;
  readonly id: string;
  readonly user: string;
  readonly groups?: readonly string[];
  readonly impersonator?: string;
  readonly sourceIp?: string;
  readonly userAgent?: string;
  readonly cluster: string;
  readonly verb: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly dryRun?: boolean;
  readonly cause?: { readonly component?: string; readonly object?: string; readonly user?: string };
  readonly code: number;
  readonly reason?: string;
  readonly outcome: AuditOutcome;
  readonly latencyMs?: number;
}

interface AuditList {
  readonly metadata: {
    readonly older?: string;
    readonly searchedTo?: string;
    readonly damagedLines?: number;
    readonly replica?: string;
  };
  readonly items: readonly (KubeObject & { readonly spec: AuditSpec })[];
}

/** The log is read on the cluster that stands for the landscape, whichever cluster its records are about. */
const auditCluster = 'platform';
const path = `${clusterPath(auditCluster)}/apis/audit.chandlery.io/v1alpha1/auditrecords`;

interface OutcomeMark {
  readonly state: ObjectState;
  readonly symbol: string;
  readonly word: string;
}

const outcomeMarks: Readonly<Record<AuditOutcome, OutcomeMark>> = {
  succeeded: { state: 'ready', symbol: '✓', word: 'Succeeded' },
  denied: { state: 'failed', symbol: '✗', word: 'Denied' },
  failed: { state: 'deleting', symbol: '!', word: 'Failed' },
};

/** Who wrote what, when, and what came of it. */
export function AuditPage() {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  usePageTitle(`Audit log · ${cluster}`);
  const request = auditRequestOf(query, cluster);
  const { value, error, reload } = useLoaded(
    // The token of a service account is valid on its own cluster alone.
    signal => requestJson<AuditList>(path, { query: request, signal, isQuietOn401: true }),
    [JSON.stringify(request)],
  );
  const isAllClusters = query.get('clusters') === 'all';
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Audit log</h1>
          <p className="quiet">
            {isAllClusters ? 'Who wrote what in the landscape' : `Who wrote what in cluster "${cluster}"`}
          </p>
        </div>
        <div className="actions">
          <Button onClick={reload}>Refresh</Button>
        </div>
      </header>
      <EventViews current="audit" />
      {isUnreadable(error) ? <Unreadable error={error} /> : <Filters />}
      {error !== undefined && !isUnreadable(error) && <FailureNotice goal="read the audit log" error={error} />}
      {value === undefined && error === undefined && <Loading what="the audit log" />}
      {value !== undefined && <Records list={value} />}
    </>
  );
}

const isUnreadable = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && [401, 403, 405].includes(error.status);

function Unreadable({ error }: { readonly error: ApiFailure }) {
  if (error.status === 405)
    return (
      <EmptyState title="The audit log cannot be read here">
        <p className="quiet">{plainText(error.message)}</p>
      </EmptyState>
    );
  return (
    <Notice kind="info">
      <strong>You may not read the audit log</strong>
      <p>
        It shows what all users wrote, so operators alone may: a role for auditrecords.audit.chandlery.io on cluster
        "platform".
      </p>
      <p className="quiet">
        {error.status === 401 ? 'Your token is valid on its own cluster only' : plainText(error.message)}
      </p>
    </Notice>
  );
}

function Filters() {
  const { query } = useViewLocation();
  const outcome = query.get('outcome') ?? '';
  const [first, ...others] = auditFilters;
  const set = [...others.map(({ parameter }) => parameter), 'from', 'to'].filter(name => query.has(name)).length;
  const field = ({ parameter, label, placeholder }: (typeof auditFilters)[number]) => (
    <FilterField
      key={parameter}
      label={label}
      parameter={parameter}
      value={query.get(parameter) ?? ''}
      placeholder={placeholder}
    />
  );
  return (
    <>
      <div className="toolbar audit-filters">
        {first !== undefined && field(first)}
        <FilterGroup count={set}>
          {others.map(field)}
          <MomentFilter label="From" parameter="from" />
          <MomentFilter label="To" parameter="to" />
          <label className="check">
            <input
              type="checkbox"
              checked={query.get('clusters') === 'all'}
              onChange={({ target }) =>
                changeQuery({ clusters: target.checked ? 'all' : undefined, page: undefined }, { replace: true })
              }
            />
            All clusters
          </label>
        </FilterGroup>
      </div>
      <div className="chips" role="group" aria-label="Filter by outcome">
        {outcomes.map(each => (
          <button
            key={each}
            type="button"
            className={`chip state-${outcomeMarks[each].state}`}
            aria-pressed={each === outcome}
            onClick={() =>
              changeQuery({ outcome: each === outcome ? undefined : each, page: undefined }, { replace: true })
            }
          >
            <span aria-hidden="true">{outcomeMarks[each].symbol}</span> {outcomeMarks[each].word}
          </button>
        ))}
      </div>
    </>
  );
}

function MomentFilter({ label, parameter }: { readonly label: string; readonly parameter: 'from' | 'to' }) {
  const { query } = useViewLocation();
  return (
    <label className="field-inline">
      <span>{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={textOfMoment(query.get(parameter) ?? '')}
        onChange={({ target }) =>
          changeQuery({ [parameter]: momentOf(target.value), page: undefined }, { replace: true })
        }
      />
    </label>
  );
}

function Records({ list: { items, metadata } }: { readonly list: AuditList }) {
  const { query } = useViewLocation();
  const { older, searchedTo, damagedLines, replica } = metadata;
  const selected = items.find(({ metadata: { name } }) => name === query.get('record'));
  return (
    <>
      {replica !== undefined && (
        <Notice kind="info">These are the records of replica {plainText(replica)}. Others have their own.</Notice>
      )}
      {damagedLines !== undefined && (
        <Notice kind="warning">{damagedLines} damaged lines of the audit log were left out.</Notice>
      )}
      {items.length > 0 && (
        <WithPanel
          panel={selected && <RecordCard record={selected.spec} />}
          shown={selected?.metadata.name}
          onClose={() => changeQuery({ record: undefined })}
        >
          <RecordTable items={items} selected={selected?.metadata.name} />
        </WithPanel>
      )}
      {items.length === 0 && <NoRecords searchedTo={searchedTo} />}
      {searchedTo !== undefined && (
        <Notice kind="info">
          Only the records since <Time at={searchedTo} /> were searched so far. Continue with older ones, or narrow the
          time.
        </Notice>
      )}
      <nav className="pages" aria-label="Pages of the audit log">
        <Button
          onClick={() => changeQuery({ page: undefined })}
          disabledReason={query.has('page') ? undefined : 'These are the newest records'}
        >
          Newest
        </Button>
        <Button
          onClick={() => changeQuery({ page: older })}
          disabledReason={older === undefined ? 'There are no older records' : undefined}
        >
          Older
        </Button>
      </nav>
    </>
  );
}

function NoRecords({ searchedTo }: { readonly searchedTo: string | undefined }) {
  const { query } = useViewLocation();
  if (searchedTo !== undefined) return null;
  const cleared = Object.fromEntries([...query.keys()].filter(key => key !== 'clusters').map(key => [key, undefined]));
  return (
    <EmptyState title={hasAuditFilters(query) ? 'No record matches these filters' : 'Nothing was written yet'}>
      {hasAuditFilters(query) && <Button onClick={() => changeQuery(cleared)}>Remove the filters</Button>}
    </EmptyState>
  );
}

interface RecordTableProps {
  readonly items: AuditList['items'];
  readonly selected: string | undefined;
}

function RecordTable({ items, selected }: RecordTableProps) {
  const { query, segments } = useViewLocation();
  const hrefOf = (record: string): string => viewHref(segments, { ...Object.fromEntries(query), record });
  return (
    <div className="table-frame" role="region" aria-label="Audit records" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">Object</th>
            <th scope="col" className="less">
              Cluster
            </th>
            <th scope="col" className="less">
              Code
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ metadata: { name = '' }, spec }) => (
            <tr key={name} aria-current={name === selected ? 'true' : undefined}>
              <td>
                <StateMark {...outcomeMarks[spec.outcome]} reason={spec.reason} />
              </td>
              <td>
                <Link className="row-link" href={hrefOf(name)}>
                  <Time at={spec.time} />
                </Link>
              </td>
              <td title={plainText(spec.user)}>{plainText(shortUser(spec.user)) || '–'}</td>
              <td>
                {plainText(spec.verb)} {plainText(whatOf(spec))}
                {spec.dryRun === true && <span className="quiet"> dry run</span>}
              </td>
              <td>{plainText([spec.namespace, spec.name].filter(Boolean).join('/')) || '–'}</td>
              <td className="less">{plainText(spec.cluster)}</td>
              <td className="less">{spec.code}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Service accounts by namespace and name. */
const shortUser = (user: string): string => user.replace(/^system:serviceaccount:/, '');

const whatOf = ({ resource, subresource }: AuditSpec): string => [resource, subresource].filter(Boolean).join('/');

/** Everything that a record says. */
function RecordCard({ record }: { readonly record: AuditSpec }) {
  const { kinds, cluster } = useCluster();
  const { cause } = record;
  const kind = kinds.find(each => each.group === record.group && each.plural === record.resource);
  const why = cause && [cause.component, cause.object, cause.user].filter(Boolean).join(' · ');
  return (
    <section className="card" aria-label="Record">
      <h2>
        {plainText(record.verb)} {plainText(whatOf(record))}
      </h2>
      <dl className="facts mesh-facts">
        <Fact name="When">
          <ExactTime at={record.time} />
        </Fact>
        <Fact name="Outcome">
          <StateMark {...outcomeMarks[record.outcome]} /> {record.code} {plainText(record.reason ?? '')}
        </Fact>
        <Fact name="User">{plainText(record.user) || '–'}</Fact>
        {record.impersonator !== undefined && <Fact name="Asked by">{plainText(record.impersonator)}</Fact>}
        <Fact name="Groups">{plainText((record.groups ?? []).join(', ')) || '–'}</Fact>
        <Fact name="Object">
          <RecordedObject record={record} kind={record.cluster === cluster ? kind : undefined} />
        </Fact>
        <Fact name="Cluster">{plainText(record.cluster)}</Fact>
        {record.path !== undefined && <Fact name="Path">{plainText(record.path)}</Fact>}
        {why !== undefined && <Fact name="Because of">{plainText(why)}</Fact>}
        <Fact name="From">{plainText(record.sourceIp || 'the landscape itself')}</Fact>
        <Fact name="Program">{plainText(record.userAgent ?? '') || '–'}</Fact>
        <Fact name="Took">{record.latencyMs ?? 0} ms</Fact>
        <Fact name="Request">
          <code>{plainText(record.id)}</code>
        </Fact>
      </dl>
    </section>
  );
}

interface RecordedObjectProps {
  readonly record: AuditSpec;
  /** Undefined when this cluster does not serve it. */
  readonly kind: ServedKind | undefined;
}

function RecordedObject({ record: { namespace = '', name = '' }, kind }: RecordedObjectProps) {
  const { cluster } = useCluster();
  const text = plainText([namespace, name].filter(part => part !== '').join('/')) || '–';
  if (kind === undefined || name === '') return text;
  return <Link href={objectHref(cluster, kind, { namespace, name }, { tab: 'history' })}>{text}</Link>;
}
