import { useMemo } from 'react';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { GraphView } from '../../ui/graph/graph-view.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { useGraphQuery } from '../graph-query.ts';
import { type NodeControl, NodePanel } from './node-panel.tsx';
import { nodesOf, type WorkflowObject, withTitle } from './workflow.ts';
import { firstNode, workflowGraph } from './workflow-graph.ts';

interface RunProgressProps {
  /** What people call the run. */
  readonly title: string;
  /** Undefined until the engine has something to show. */
  readonly workflow: WorkflowObject | undefined;
  /** What is shown while there is no node. */
  readonly none: string;
  readonly control: NodeControl;
  readonly openLog: React.ComponentProps<typeof NodePanel>['openLog'];
}

/** The graph of a run, and the node that is selected: at first what failed. */
export function RunProgress({ title, workflow, none, control, openLog }: RunProgressProps) {
  const { query } = useViewLocation();
  const { choice, onChoose } = useGraphQuery();
  const nodes = useMemo(() => withTitle(nodesOf(workflow), title), [workflow, title]);
  const graph = useMemo(() => workflowGraph(nodes, new Date()), [nodes]);
  const wanted = query.get('node');
  const selected = nodes.find(({ id }) => id === wanted) ?? firstNode(nodes);
  if (nodes.length === 0) return <EmptyState title={none} />;
  return (
    <>
      <GraphView
        label="Nodes of the workflow"
        graph={graph}
        selected={selected?.id}
        onSelect={id => changeQuery({ node: id }, { replace: true })}
        choice={choice}
        onChoose={onChoose}
      />
      {selected === undefined ? (
        <p className="quiet">Choose a node to see what it got, what it gave, and what it printed</p>
      ) : (
        <NodePanel key={selected.id} node={selected} nodes={nodes} control={control} openLog={openLog} />
      )}
    </>
  );
}
