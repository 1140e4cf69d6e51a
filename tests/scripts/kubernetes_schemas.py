"""What Kubernetes and Agones accept, as far as docker/kubernetes uses it: a schema for each kind, written from the
public definitions of the resources. Unlike those, every object here is closed: an unknown member is an error, because
the servers drop what they do not know, and a misspelt limit would have no effect."""

TEXT = {"type": "string", "minLength": 1}
NAME = {"type": "string", "pattern": r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?"}
FLAG = {"type": "boolean"}
LABELS = {"type": "object", "values": {"type": "string"},
          "keys": r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"}


def whole(minimum=0, maximum=2 ** 31 - 1):
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


def one_of(*values):
    return {"enum": list(values)}


def many(items, minimum=1):
    return {"type": "array", "items": items, "minItems": minimum}


def members(required=(), **properties):
    return {"type": "object", "required": list(required), "properties": properties}


PORT = whole(1, 65535)
QUANTITY = {"type": "string", "pattern": r"\d+(\.\d+)?(m|k|M|G|Ki|Mi|Gi)?"}
RESOURCES = members(cpu=QUANTITY, memory=QUANTITY)
MOUNT = members(["name", "mountPath"], name=NAME, mountPath={"type": "string", "pattern": r"/\S*"}, readOnly=FLAG)
CONTAINER = members(
    ["name", "image"], name=NAME, image=TEXT, command=many(TEXT), args=many(TEXT),
    env=many(members(["name", "value"], name={"type": "string", "pattern": r"[A-Z_][A-Z0-9_]*"},
                     value={"type": "string"})),
    ports=many(members(["containerPort"], name={"type": "string", "pattern": r"[a-z0-9-]{1,15}"}, containerPort=PORT,
                       protocol=one_of("TCP", "UDP"))),
    resources=members(requests=RESOURCES, limits=RESOURCES), volumeMounts=many(MOUNT),
    securityContext=members(readOnlyRootFilesystem=FLAG, allowPrivilegeEscalation=FLAG,
                            capabilities=members(drop=many(TEXT))))
POD = members(
    ["containers"], terminationGracePeriodSeconds=whole(), enableServiceLinks=FLAG, containers=many(CONTAINER), initContainers=many(CONTAINER),
    securityContext=members(runAsNonRoot=FLAG, runAsUser=whole(), runAsGroup=whole(), fsGroup=whole(),
                            seccompProfile=members(["type"], type=one_of("RuntimeDefault", "Unconfined"))),
    volumes=many(members(["name"], name=NAME, emptyDir=members(sizeLimit=QUANTITY, medium=one_of("Memory")),
                         secret=members(["secretName"], secretName=NAME))))
LABELLED = members(labels=LABELS, annotations=LABELS)
GAME_SERVER = members(
    ["template"], container=NAME,
    ports=many(members(["name", "containerPort"], name=TEXT, portPolicy=one_of("Dynamic", "Static", "Passthrough"),
                       containerPort=PORT, protocol=one_of("UDP", "TCP", "TCPUDP"))),
    health=members(disabled=FLAG, initialDelaySeconds=whole(), periodSeconds=whole(), failureThreshold=whole(1)),
    counters={"type": "object", "values": members(count=whole(), capacity=whole()), "keys": r"[a-z0-9-]+"},
    lists={"type": "object", "values": members(capacity=whole(0, 1000), values=many(TEXT, 0)), "keys": r"[a-z0-9-]+"},
    template=members(["spec"], metadata=LABELLED, spec=POD))
SELECTOR = members(
    matchLabels=LABELS, gameServerState=one_of("Ready", "Allocated"),
    counters={"type": "object", "keys": r"[a-z0-9-]+",
              "values": members(minCount=whole(), maxCount=whole(), minAvailable=whole(), maxAvailable=whole())})
RULE_PORTS = many(members(["port"], port=PORT, protocol=one_of("TCP", "UDP")))
PEERS = many(members(namespaceSelector=members(matchLabels=LABELS), podSelector=members(matchLabels=LABELS)))
NAMED = members(["name"], name=NAME, labels=LABELS)


def resource(version, spec, metadata=NAMED, **more):
    needed = ["apiVersion", "kind"] + (["metadata"] if metadata else []) + (["spec"] if spec else [])
    parts = {"metadata": metadata or NAMED, **({"spec": spec} if spec else {}), **more}
    return members(needed, apiVersion=one_of(version), kind=TEXT, **parts)


KINDS = {
    "Kustomization": resource("kustomize.config.k8s.io/v1beta1", None, None, resources=many(TEXT),
                              images=many(members(["name"], name=TEXT, newName=TEXT, newTag=TEXT))),
    "Fleet": resource("agones.dev/v1", members(
        ["replicas", "template"], replicas=whole(), scheduling=one_of("Packed", "Distributed"),
        template=members(["spec"], metadata=LABELLED, spec=GAME_SERVER))),
    "FleetAutoscaler": resource("autoscaling.agones.dev/v1", members(
        ["fleetName", "policy"], fleetName=NAME,
        policy=members(["type", "counter"], type=one_of("Counter"), counter=members(
            ["key", "bufferSize", "maxCapacity"], key=TEXT, bufferSize=whole(1), minCapacity=whole(),
            maxCapacity=whole(1))),
        sync=members(["type", "fixedInterval"], type=one_of("FixedInterval"),
                     fixedInterval=members(["seconds"], seconds=whole(1))))),
    "GameServerAllocation": resource("allocation.agones.dev/v1", members(
        ["selectors"], selectors=many(SELECTOR), scheduling=one_of("Packed", "Distributed"),
        counters={"type": "object", "keys": r"[a-z0-9-]+",
                  "values": members(action=one_of("Increment", "Decrement"), amount=whole(1), capacity=whole())},
        metadata=LABELLED), None),
    "NetworkPolicy": resource("networking.k8s.io/v1", members(
        ["podSelector"], podSelector=members(matchLabels=LABELS), policyTypes=many(one_of("Ingress", "Egress")),
        ingress=many({"type": "object", "required": [], "properties": {"from": PEERS, "ports": RULE_PORTS}}),
        egress=many(members(to=PEERS, ports=RULE_PORTS)))),
}
