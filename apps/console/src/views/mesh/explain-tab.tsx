import type { ExplainedDestination, Explanation, MeshGraph, MeshInfo } from '@chandlery/mesh/kinds';
import { type FormEvent, useEffect, useState } from 'react';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { useFollowedMesh } from './follow-mesh.ts';
import { keyOf, readMesh } from './mesh.ts';
import { policyHref, splitHref } from './policy-hrefs.ts';

const parameters = ['from', 'to', 'method', 'path', 'port'] as const;
type Call = Readonly<Record<(typeof parameters)[number], string>>;

const methods = ['', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Whether an account may call a service, and which policies say so. */
export function ExplainTab({ mesh }: { readonly mesh: MeshInfo }) {
  const { query } = useViewLocation();
  const call = Object.fromEntries(parameters.map(name => [name, query.get(name) ?? ''])) as Call;
  return (
    <>
      <CallForm mesh={mesh} call={call} />
      {call.from === '' || call.to === '' ? (
        <EmptyState title="Name who calls, and which service">
          <p className="quiet">With a method and a path, the policies for single requests decide, too</p>
        </EmptyState>
      ) : (
        <Verdict mesh={mesh} call={call} />
      )}
    </>
  );
}

const maxSuggested = 500;

function CallForm({ mesh, call }: { readonly mesh: MeshInfo; readonly call: Call }) {
  const [draft, setDraft] = useState(call);
  useEffect(() => setDraft(call), [JSON.stringify(call)]);
  const { value } = useLoaded(
    signal => readMesh<MeshGraph>(mesh.mesh, 'graph', signal, { limit: maxSuggested }),
    [mesh.mesh],
  );
  const services = (value?.services ?? []).map(keyOf);
  const accounts = new Set([
    ...(value?.services ?? []).flatMap(({ serviceAccounts }) => serviceAccounts),
    ...(value?.calls ?? []).map(({ from }) => from),
  ]);
  const set = (change: Partial<Call>): void => setDraft(before => ({ ...before, ...change }));
  const isComplete = [draft.from, draft.to].every(text => /^[^/]+\/[^/]+$/.test(text));
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (isComplete) changeQuery({ ...draft });
  };
  return (
    <form className="toolbar call-form" onSubmit={onSubmit}>
      <Suggested
        id="accounts"
        label="Caller"
        values={[...accounts]}
        value={draft.from}
        placeholder="namespace/account"
        onChange={from => set({ from })}
      />
      <Suggested
        id="services"
        label="Service"
        values={services}
        value={draft.to}
        placeholder="namespace/service"
        onChange={to => set({ to })}
      />
      <label className="field-inline">
        <span>Method</span>
        <select value={draft.method} onChange={event => set({ method: event.target.value })}>
          {methods.map(method => (
            <option key={method} value={method}>
              {method || 'any'}
            </option>
          ))}
        </select>
      </label>
      <label className="field-inline">
        <span>Path</span>
        <input
          value={draft.path}
          placeholder="/books/1"
          spellCheck={false}
          onChange={event => set({ path: event.target.value })}
        />
      </label>
      <label className="field-inline">
        <span>Port</span>
        <input
          className="port"
          inputMode="numeric"
          value={draft.port}
          placeholder="first"
          onChange={event => set({ port: event.target.value })}
        />
      </label>
      <Button
        kind="primary"
        type="submit"
        disabledReason={isComplete ? undefined : 'Name the caller and the service as namespace/name first'}
      >
        Explain
      </Button>
    </form>
  );
}

interface SuggestedProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly placeholder: string;
  readonly onChange: (value: string) => void;
}

const Suggested = ({ id, label, value, values, placeholder, onChange }: SuggestedProps) => (
  <label className="field-inline">
    <span>{label}</span>
    <input
      list={id}
      value={value}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete="off"
      onChange={event => onChange(event.target.value)}
    />
    <datalist id={id}>
      {values.map(each => (
        <option key={each} value={each} />
      ))}
    </datalist>
  </label>
);

const verdicts = {
  allowed: { symbol: '✓', word: 'Allowed', kind: 'success' },
  partly: { symbol: '◐', word: 'Partly allowed', kind: 'warning' },
  denied: { symbol: '✗', word: 'Denied', kind: 'error' },
} as const;

function Verdict({ mesh, call }: { readonly mesh: MeshInfo; readonly call: Call }) {
  const { value, error } = useFollowedMesh(
    mesh.mesh,
    signal =>
      readMesh<Explanation>(
        mesh.mesh,
        'explain',
        signal,
        Object.fromEntries(parameters.map(name => [name, call[name] || undefined])),
      ),
    [JSON.stringify(call)],
  );
  if (error !== undefined) return <FailureNotice goal="explain this call" error={error} />;
  if (value === undefined) return <Loading what="the policies" />;
  const { verdict, message, port, split, destinations } = value;
  const { symbol, word, kind } = verdicts[verdict];
  const request = call.method === '' ? 'a call' : `${call.method} ${call.path}`;
  return (
    <section className="mesh-part" aria-label="Verdict">
      <div className={`notice notice-${kind}`} role="status">
        <strong>
          <span aria-hidden="true">{symbol}</span> {word}: {plainText(request)} from {plainText(call.from)} to{' '}
          {plainText(call.to)}
          {port !== undefined && `, port ${port.port} (${port.protocol})`}
        </strong>
        <p>{plainText(sentence(message))}</p>
        {split !== undefined && (
          <p>
            <Link href={splitHref(split.source, mesh)}>TrafficSplit {plainText(split.source)}</Link>:{' '}
            {plainText(split.why)}
          </p>
        )}
      </div>
      {destinations.map(destination => (
        <Destination
          key={keyOf(destination.service)}
          destination={destination}
          mesh={mesh}
          isOnly={destinations.length === 1}
        />
      ))}
      <p className="quiet">
        The same on the command line: <code>{plainText(commandOf(mesh, call))}</code>
      </p>
    </section>
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const commandOf = ({ mesh }: MeshInfo, { from, to, method, path, port }: Call): string =>
  [
    'chandlery mesh explain',
    from,
    to,
    method !== '' && path !== '' && `${method} ${path}`,
    port !== '' && `--port ${port}`,
    `--mesh ${mesh}`,
  ]
    .filter(Boolean)
    .join(' ');

interface DestinationProps {
  readonly destination: ExplainedDestination;
  readonly mesh: MeshInfo;
  /** Whether the verdict is about this destination alone, and has said why. */
  readonly isOnly: boolean;
}

/** What decides about the calls that reach a service. */
function Destination({ destination: { service, share, access }, mesh, isOnly }: DestinationProps) {
  const { isAllowed, message, accounts, allowedBy, nearMisses } = access;
  return (
    <section className="card" aria-label={keyOf(service)}>
      <h2>
        <StateMark state={isAllowed ? 'ready' : 'failed'} word={isAllowed ? 'Allowed' : 'Denied'} />{' '}
        {plainText(keyOf(service))}{' '}
        {!isOnly && <span className="quiet">{Number((share * 100).toFixed(1))} % of the calls</span>}
      </h2>
      {!isOnly && <p>{plainText(sentence(message))}</p>}
      {accounts.length > 0 && <p className="quiet">Accounts behind it: {plainText(accounts.join(', '))}</p>}
      {allowedBy !== undefined && (
        <p>
          Allowed by <DecidingPolicy policy={allowedBy} mesh={mesh} />
        </p>
      )}
      {nearMisses.length > 0 && (
        <>
          <h3>Policies that do not allow it</h3>
          <ul className="near-misses">
            {nearMisses.map(miss => (
              <li key={`${miss.target} ${miss.match ?? ''} ${miss.why}`}>
                <DecidingPolicy policy={miss} mesh={mesh} />: {plainText(miss.why)}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface DecidingPolicyProps {
  readonly policy: NonNullable<ExplainedDestination['access']['allowedBy']>;
  readonly mesh: MeshInfo;
}

function DecidingPolicy({ policy, mesh }: DecidingPolicyProps) {
  const named =
    'binding' in policy
      ? ({ kind: 'ServiceBinding', name: policy.binding } as const)
      : ({ kind: 'TrafficTarget', name: policy.target } as const);
  const match = 'match' in policy ? policy.match : undefined;
  return (
    <>
      <Link href={policyHref(named, mesh)}>
        {named.kind} {plainText(named.name)}
      </Link>
      {match !== undefined && `, match "${plainText(match)}"`}
    </>
  );
}
