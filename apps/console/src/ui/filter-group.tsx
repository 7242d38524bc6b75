import { type ReactNode, useState } from 'react';
import { useIsNarrow } from './use-is-narrow.ts';

interface FilterGroupProps {
  readonly children: ReactNode;
  /** How many of the filters are set. */
  readonly count: number;
}

/** Filters beside each other; on a narrow screen behind a summary, so that what they filter is in view. */
export function FilterGroup({ children, count }: FilterGroupProps) {
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="filter-group"
      open={!isNarrow || isOpen}
      onToggle={({ currentTarget }) => isNarrow && setOpen(currentTarget.open)}
    >
      <summary hidden={!isNarrow}>More filters{count > 0 && ` (${count} set)`}</summary>
      <div className="toolbar">{children}</div>
    </details>
  );
}
