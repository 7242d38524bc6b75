import { type ObjectState, objectStates } from '@chandlery/api';
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../button.tsx';
import { EmptyState } from '../notice.tsx';
import { stateWords } from '../state-words.ts';
import type { Graph } from './graph.ts';
import { GraphDrawing, type Legend } from './graph-drawing.tsx';
import { GraphList } from './graph-list.tsx';
import { type Fold, openedMembers, visibleGraph } from './visible-graph.ts';

/** What of a graph is shown, and how. Part of the address of views. */
export interface GraphChoice {
  /** Default: as a drawing. */
  readonly isList: boolean;
  readonly hasOnlyProblems: boolean;
}

interface GraphViewProps {
  readonly label: string;
  readonly graph: Graph;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  readonly choice: GraphChoice;
  readonly onChoose: (change: Partial<GraphChoice>) => void;
  /** What is shown instead of the list of nodes. Default: that list. */
  readonly list?: ReactNode;
  /** Further controls. Default: none. */
  readonly children?: ReactNode;
  /** What the lines of the drawing mean. Default: that one follows the other. */
  readonly legend?: Legend;
}

/** A directed graph as a drawing, or as a list for who prefers to read. */
export function GraphView({ label, graph, selected, onSelect, choice, onChoose, ...more }: GraphViewProps) {
  const { isList, hasOnlyProblems } = choice;
  const { list, legend = [], children } = more;
  const [opened, setOpened] = useState<readonly string[]>([]);
  const visible = useMemo(
    () => visibleGraph(graph, { hasOnlyProblems, wanted: [...(selected === undefined ? [] : [selected]), ...opened] }),
    [graph, hasOnlyProblems, selected, opened],
  );
  const open = (fold: Fold): void => setOpened(openedMembers(graph, fold));
  return (
    <section className="graph" aria-label={label}>
      <div className="toolbar">
        <fieldset className="segments" aria-label="Show as">
          <Segment isChosen={!isList} onChoose={() => onChoose({ isList: false })} text="Graph" />
          <Segment isChosen={isList} onChoose={() => onChoose({ isList: true })} text="List" />
        </fieldset>
        <label className="check">
          <input
            type="checkbox"
            checked={hasOnlyProblems}
            onChange={event => onChoose({ hasOnlyProblems: event.target.checked })}
          />
          Only problems
        </label>
        {children}
        {opened.length > 0 && <Button onClick={() => setOpened([])}>Fold again</Button>}
        <Counts graph={graph} />
      </div>
      {visible.nodes.length === 0 ? (
        <EmptyState title={hasOnlyProblems ? '✓ There are no problems' : 'There is nothing to draw yet'} />
      ) : isList ? (
        (list ?? (
          <GraphList nodes={hasOnlyProblems ? visible.nodes : graph.nodes} selected={selected} onSelect={onSelect} />
        ))
      ) : (
        <GraphDrawing
          label={label}
          graph={visible}
          legend={legend}
          selected={selected}
          onSelect={onSelect}
          onOpen={open}
        />
      )}
    </section>
  );
}

interface SegmentProps {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly text: string;
}

const Segment = ({ isChosen, onChoose, text }: SegmentProps) => (
  <button type="button" aria-pressed={isChosen} onClick={onChoose}>
    {text}
  </button>
);

const countWords: Readonly<Record<ObjectState, string>> = {
  failed: 'failed',
  deleting: 'deleting',
  waiting: 'in progress',
  exists: 'other',
  ready: 'ok',
};

function Counts({ graph: { nodes } }: { readonly graph: Graph }) {
  const byState = Map.groupBy(nodes, ({ state }) => state);
  return (
    <span className="graph-counts">
      {objectStates
        .filter(state => byState.has(state))
        .map(state => (
          <span key={state} className={`state state-${state}`}>
            <span aria-hidden="true">{stateWords[state].symbol}</span> {byState.get(state)?.length.toLocaleString()}{' '}
            {countWords[state]}
          </span>
        ))}
    </span>
  );
}
