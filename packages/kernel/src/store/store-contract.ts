import { describe } from 'node:test';
import { commitContract } from './contract/commit-contract.ts';
import { groupContract } from './contract/group-contract.ts';
import { handoverContract } from './contract/handover-contract.ts';
import type { OpenStore } from './contract/helpers.ts';
import { historyContract } from './contract/history-contract.ts';
import { keepingContract } from './contract/keeping-contract.ts';
import { listContract } from './contract/list-contract.ts';
import { pagingContract } from './contract/paging-contract.ts';
import { revisionsContract } from './contract/revisions-contract.ts';

/** What every driver of the store must do. Each test opens an empty store of its own. */
export function describeStoreContract(name: string, open: OpenStore): void {
  describe(`the ${name} store`, () => {
    commitContract(open);
    groupContract(open);
    listContract(open);
    pagingContract(open);
    historyContract(open);
    handoverContract(open);
    keepingContract(open);
    revisionsContract(open);
  });
}
