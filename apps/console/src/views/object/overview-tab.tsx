import type { KubeObject } from '@chandlery/api';
import { kindOfObject } from '../../api/kinds.ts';
import { Link } from '../../routing/link.tsx';
import { objectHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Breakable } from '../../ui/breakable.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { isMoment, Time } from '../../ui/time.tsx';
import { Fact } from '../fact.tsx';

/** The facts of an object: its metadata, and the values of spec and status. */
export function OverviewTab({ object }: { readonly object: KubeObject }) {
  const { metadata, apiVersion, kind, spec, status, data } = object as KubeObject & Readonly<Record<string, unknown>>;
  return (
    <div className="cards cards-packed">
      <section className="card">
        <h2>Metadata</h2>
        <dl className="facts">
          <Fact name="Kind">
            {kind}{' '}
            <span className="quiet">
              <Breakable text={String(apiVersion)} />
            </span>
          </Fact>
          <Fact name="Created">
            <Time at={metadata.creationTimestamp} />
          </Fact>
          {metadata.deletionTimestamp !== undefined && (
            <Fact name="Deleting since">
              <Time at={metadata.deletionTimestamp} />
            </Fact>
          )}
          {metadata.generation !== undefined && <Fact name="Generation">{metadata.generation}</Fact>}
          <Fact name="UID">
            <code>{metadata.uid}</code>
          </Fact>
          {metadata.finalizers !== undefined && metadata.finalizers.length > 0 && (
            <Fact name="Finalizers">
              <Breakable text={plainText(metadata.finalizers.join(', '))} />
            </Fact>
          )}
          {metadata.ownerReferences !== undefined && (
            <Fact name="Owners">
              <Owners object={object} />
            </Fact>
          )}
        </dl>
        <Pairs title="Labels" pairs={metadata.labels} />
        <Pairs title="Annotations" pairs={metadata.annotations} />
      </section>
      <Values title="Spec" value={spec} />
      <Values title="Status" value={withoutConditions(status)} />
      {kind === 'Secret' ? <SecretKeys data={data} /> : <Values title="Data" value={data} />}
    </div>
  );
}

function Owners({ object }: { readonly object: KubeObject }) {
  const { cluster, kinds } = useCluster();
  return (object.metadata.ownerReferences ?? []).map(owner => {
    const kind = kindOfObject(kinds, owner);
    const text = `${owner.kind}/${owner.name}`;
    const namespace = kind?.isNamespaced ? (object.metadata.namespace ?? '') : '';
    return kind === undefined ? (
      <span key={owner.uid}>{plainText(text)}</span>
    ) : (
      <Link key={owner.uid} href={objectHref(cluster, kind, { namespace, name: owner.name })}>
        {plainText(text)}
      </Link>
    );
  });
}

/** What programs keep account of in annotations: the whole object once more. */
const bookkeeping: ReadonlySet<string> = new Set(['kubectl.kubernetes.io/last-applied-configuration']);

function Pairs({
  title,
  pairs,
}: {
  readonly title: string;
  readonly pairs: Readonly<Record<string, string>> | undefined;
}) {
  const shown = Object.entries(pairs ?? {}).filter(([name]) => !bookkeeping.has(name));
  if (shown.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="pairs">
        {shown.map(([name, value]) => (
          <li key={name}>
            <span className="pair-name">
              <Breakable text={plainText(name)} />
            </span>{' '}
            {plainText(value)}
          </li>
        ))}
      </ul>
    </>
  );
}

function withoutConditions(status: unknown): unknown {
  if (typeof status !== 'object' || status === null) return status;
  const { conditions: _shownElsewhere, ...rest } = status as Record<string, unknown>;
  return rest;
}

/** Values of Secrets are not shown: who needs one reads it in the YAML. */
function SecretKeys({ data }: { readonly data: unknown }) {
  const names = Object.keys(data ?? {});
  return (
    <section className="card">
      <h2>Keys</h2>
      {names.length === 0 ? <p className="quiet">None</p> : <p>{names.map(plainText).join(', ')}</p>}
    </section>
  );
}

function Values({ title, value }: { readonly title: string; readonly value: unknown }) {
  const entries = [...leavesOf(value, '')];
  if (entries.length === 0) return null;
  return (
    <section className="card">
      <h2>{title}</h2>
      <dl className="facts">
        {entries.slice(0, maxLeaves).map(([path, text]) => (
          <Fact key={path} name={plainText(path)}>
            {isMoment(text) ? <Time at={text} /> : <Value text={plainText(text)} />}
          </Fact>
        ))}
      </dl>
      {entries.length > maxLeaves && <p className="quiet">{entries.length - maxLeaves} more are in the YAML</p>}
    </section>
  );
}

/** Names, paths and addresses are broken between their parts; texts of several lines keep those. */
const Value = ({ text }: { readonly text: string }) => (
  <span className="value">{text.includes(' ') ? text : <Breakable text={text} />}</span>
);

/** More values than these are no overview. */
const maxLeaves = 60;

/** The values of a tree with the paths that lead to them; lists of plain values count as one. */
function* leavesOf(value: unknown, path: string): Generator<readonly [path: string, text: string]> {
  if (typeof value !== 'object' || value === null) {
    if (path !== '') yield [path, typeof value === 'string' ? value : (JSON.stringify(value) ?? '–')];
  } else if (Array.isArray(value) && value.every(item => typeof item !== 'object')) {
    yield [path, value.length === 0 ? '–' : value.join(', ')];
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leavesOf(item, `${path}[${index}]`);
  } else {
    for (const [name, entry] of Object.entries(value)) yield* leavesOf(entry, path === '' ? name : `${path}.${name}`);
  }
}
