import type { KubeObject } from '@chandlery/api';
import { problemsOf, type TraceNode } from '@chandlery/sdk/trace';
import { useState } from 'react';
import { readTrace, type Trace } from '../../api/read-trace.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Button } from '../../ui/button.tsx';
import { FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { useLoaded } from '../../ui/use-request.ts';

/** Everything that an object caused, across clusters, problems first: what `chandlery trace` shows. */
export default function RelationsTab({ object }: { readonly object: KubeObject }) {
  const { cluster } = useCluster();
  const hasOnlyProblems = useViewLocation().query.get('problems') === 'only';
  const { uid } = object.metadata;
  const { value, error, reload } = useLoaded(signal => readTrace(cluster, object, signal), [cluster, uid]);
  if (error !== undefined) return <FailureNotice goal="read what belongs to this object" error={error} />;
  if (value === undefined) return <Loading what="what belongs to this object" />;
  const { node, hidden, addresses } = value;
  return (
    <>
      <div className="toolbar">
        <Button onClick={reload}>Refresh</Button>
        <label className="check">
          <input
            type="checkbox"
            checked={hasOnlyProblems}
            onChange={({ target }) => changeQuery({ problems: target.checked ? 'only' : undefined }, { replace: true })}
          />
          Only problems
        </label>
      </div>
      <ul className="tree" aria-label="Relations">
        <Branch node={hasOnlyProblems ? problemsOf(node) : node} addresses={addresses} />
      </ul>
      {hidden.length > 0 && (
        <p className="quiet">More may be behind it on clusters that you may not read: {hidden.join(', ')}.</p>
      )}
    </>
  );
}

/** More children of one kind than this are folded. */
const maxSiblings = 5;
/** So many are opened at a time: thousands at once would hold up the page. */
const openedAtOnce = 200;

interface BranchProps {
  readonly node: TraceNode;
  readonly addresses: Trace['addresses'];
}

function Branch({ node, addresses }: BranchProps) {
  const { cluster, apiVersion, kind, namespace, name, displayName = name, state, reason, message, children } = node;
  const address = addresses.has(cluster) ? addresses.get(cluster) : cluster;
  const text = `${kind}/${plainText(displayName)}`;
  const href = address && pageHref(address, 'find', { apiVersion, kind, ns: namespace, name });
  const why = [reason, message].filter(Boolean).join(': ');
  return (
    <li>
      <div className="tree-node">
        <StateMark state={state} /> {href === undefined ? text : <Link href={href}>{text}</Link>}{' '}
        <span className="quiet">
          {namespace !== undefined && `${namespace} · `}
          {cluster}
        </span>
        {why !== '' && <span className="tree-why"> {plainText(why)}</span>}
      </div>
      {children.length > 0 && (
        <ul>
          {groupsOf(children).map(([first, ...others]) => (
            <Siblings key={keyOf(first)} nodes={[first, ...others]} addresses={addresses} />
          ))}
        </ul>
      )}
    </li>
  );
}

interface SiblingsProps extends Pick<BranchProps, 'addresses'> {
  readonly nodes: readonly TraceNode[];
}

function Siblings({ nodes, addresses }: SiblingsProps) {
  const [limit, setLimit] = useState(maxSiblings);
  const shown = nodes.slice(0, limit);
  const folded = nodes.length - shown.length;
  return (
    <>
      {shown.map(node => (
        <Branch key={keyOf(node)} node={node} addresses={addresses} />
      ))}
      {folded > 0 && (
        <li>
          <Button kind="quiet" onClick={() => setLimit(limit + openedAtOnce)}>
            {folded > openedAtOnce && `${openedAtOnce} of `}
            {folded.toLocaleString()} more {nodes[0]?.kind}
          </Button>
        </li>
      )}
    </>
  );
}

const keyOf = ({ cluster, apiVersion, kind, namespace = '', name }: TraceNode): string =>
  [cluster, apiVersion, kind, namespace, name].join('|');

/** Nodes of one kind beside each other, in the order of the first of each kind. */
const groupsOf = (nodes: readonly TraceNode[]): readonly [TraceNode, ...TraceNode[]][] =>
  [...Map.groupBy(nodes, ({ kind }) => kind).values()] as [TraceNode, ...TraceNode[]][];
