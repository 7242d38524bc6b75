import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { invalidField, OrdersError } from '../errors.ts';
import { fieldsOf, type Json } from '../model/bodies/body-fields.ts';
import type { PlanInput, WorkflowPlan } from '../model/documents/plan.ts';
import { plainResources } from '../model/documents/resources.ts';
import { commandLine, workflowArguments } from '../model/parameters/command-line.ts';
import { parseUrn } from '../model/urns.ts';
import { free, text } from './field-schemas.ts';
import { objectSchema } from './model-registry.ts';
import type { ServiceModel } from './service-model.ts';

/** Fetches the archive through the data proxy and runs the pipeline in it. Nothing of the order is part of this text. */
const script = `set -e
mkdir -p "$IVCAP_OUT_DIR/pipeline" && cd "$IVCAP_OUT_DIR/pipeline"
curl -fsS "$IVCAP_STORAGE_URL/$PIPELINE" | tar -xzf -
exec nextflow -q run "$MAIN_SCRIPT" "$@"`;

/** Returns the model of Nextflow pipelines, which are run by Nextflow's own command. */
export const nextflowModel = (isInstalled: () => boolean = hasNextflow): ServiceModel => ({
  schema: 'urn:ivcap:schema:service.nextflow.1',
  orderable: true,
  jsonSchema: objectSchema(
    { pipeline: objectSchema({ urn: text, main_script: text }, ['urn']), resources: free, image: text },
    ['pipeline'],
  ),
  verifyController: controller => void readPipeline(controller),
  provider: {
    plan: input => {
      if (!isInstalled())
        throw new OrdersError(
          'controller-not-orderable',
          'The schema urn:ivcap:schema:service.nextflow.1 cannot be ordered here: this machine has no command nextflow',
          { name: 'service', value: input.controller['$schema'] },
        );
      return planNextflow(input);
    },
  },
});

function planNextflow({ controller, definitions, values }: PlanInput): WorkflowPlan {
  const given = workflowArguments(values);
  const { urn, mainScript } = readPipeline(controller);
  const container = {
    image: fieldsOf(controller, 'controller.').text('image') ?? 'nextflow/nextflow',
    command: ['sh', '-c', script, 'nextflow'],
    args: [...commandLine(definitions, given)],
    env: [
      { name: 'PIPELINE', value: urn },
      { name: 'MAIN_SCRIPT', value: mainScript },
    ],
    resources: { ...plainResources(controller) },
  };
  return {
    spec: {
      entrypoint: 'nextflow',
      templates: [{ name: 'nextflow', container }],
      arguments: { parameters: given.map(({ name, value }) => ({ name, value })) },
    },
    warnings: [],
  };
}

function readPipeline(controller: Json): { readonly urn: string; readonly mainScript: string } {
  const fields = fieldsOf(fieldsOf(controller, 'controller.').object('pipeline') ?? {}, 'controller.pipeline.');
  const urn = fields.requiredText('urn');
  if (parseUrn('artifact', urn) === undefined)
    throw invalidField('controller.pipeline.urn', 'controller.pipeline.urn must be the URN of an artifact', urn);
  const mainScript = fields.text('main_script') ?? 'main.nf';
  if (mainScript.startsWith('/') || mainScript.split('/').includes('..'))
    throw invalidField(
      'controller.pipeline.main_script',
      'controller.pipeline.main_script must be a path in the archive',
      mainScript,
    );
  return { urn, mainScript };
}

/** Whether the machine has the command. */
const hasNextflow = (): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some(folder => isExecutable(join(folder, 'nextflow')));

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
