import { describe } from 'node:test';
import { consumptionOutcomes } from './endpoint-outcomes.ts';
import { additions } from './sections/additions.ts';
import { bindings } from './sections/bindings.ts';
import { cascade } from './sections/cascade.ts';
import { instances } from './sections/instances.ts';
import { kubernetesOperator } from './sections/kubernetes-operator.ts';
import { operations } from './sections/operations.ts';
import { races } from './sections/races.ts';
import { sharing } from './sections/sharing.ts';
import { transfer } from './sections/transfer.ts';
import { everyOutcomeIsShown } from './support/outcomes.ts';
import { setStage } from './support/stage.ts';

/** What is made of services: instances, bindings and the operations on them. */
describe('The service manager', () => {
  const stage = setStage();
  instances(stage);
  bindings(stage);
  operations(stage);
  cascade(stage);
  sharing(stage);
  transfer(stage);
  additions(stage);
  kubernetesOperator(stage);
  races(stage);
  everyOutcomeIsShown(stage, consumptionOutcomes);
});
