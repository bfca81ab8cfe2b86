"""tf.contrib.slim.nets.

Small networks run; of the published sizes the layers, variables and collections are compared.
"""

import importlib

import numpy as np


def _nets(tf, shim):
    """The package, which TF 1.15 does not import by itself."""
    if shim is tf:
        return importlib.import_module("tensorflow.contrib.slim.nets")
    return shim.contrib.slim.nets


def _image(tf, side, channels=3, batch=2):
    data = np.random.RandomState(side).uniform(-1, 1, (batch, side, side, channels))
    return tf.constant(data.astype(np.float32))


def _resnet(tf, shim, version, **kwargs):
    nets = _nets(tf, shim)
    module = getattr(nets, f"resnet_v{version}")
    units = [{"depth": 8, "depth_bottleneck": 4, "stride": s} for s in (1, 2)]
    more = [{"depth": 12, "depth_bottleneck": 4, "stride": s} for s in (1, 2)]
    blocks = [
        nets.resnet_utils.Block("block1", module.bottleneck, units),
        nets.resnet_utils.Block("block2", module.bottleneck, more),
    ]
    build = getattr(module, f"resnet_v{version}")
    with shim.contrib.slim.arg_scope(nets.resnet_utils.resnet_arg_scope(weight_decay=0.01)):
        net, ends = build(_image(tf, 33), blocks, scope="mine", **kwargs)
    return {"net": net, "ends": ends, "names": list(ends), "_digest": True}


def resnet_1(tf, shim):
    return _resnet(tf, shim, 1, num_classes=5)


def resnet_1_dense(tf, shim):
    return _resnet(tf, shim, 1, is_training=False, global_pool=False, output_stride=8)


def resnet_2(tf, shim):
    return _resnet(tf, shim, 2, num_classes=5)


def resnet_2_dense(tf, shim):
    return _resnet(
        tf, shim, 2, is_training=False, global_pool=False, output_stride=4, include_root_block=True
    )


def resnet_without_root(tf, shim):
    slim = shim.contrib.slim
    module = _nets(tf, shim).resnet_v1
    block = module.resnet_v1_block("block1", base_depth=2, num_units=3, stride=2)
    with slim.arg_scope(module.resnet_arg_scope(batch_norm_scale=False)):
        net, ends = module.resnet_v1(
            _image(tf, 9), [block], global_pool=False, include_root_block=False, scope="a"
        )
        again, _ = module.resnet_v1(
            _image(tf, 8),
            [block],
            global_pool=False,
            include_root_block=False,
            reuse=True,
            scope="a",
        )
    return {"net": net, "again": again, "names": list(ends), "block": block.args}


def resnet_parts(tf, shim):
    utils = _nets(tf, shim).resnet_utils
    x = _image(tf, 6)
    return {
        "same": utils.conv2d_same(x, 2, 3, stride=2, scope="a"),
        "plain": utils.conv2d_same(x, 2, 3, stride=1, rate=2, scope="b"),
        "sub": utils.subsample(x, 2),
        "whole": utils.subsample(x, 1) is x,
        "size": _nets(tf, shim).resnet_v1.resnet_v1.default_image_size,
    }


def _inception(tf, shim, version, side, final=None, **kwargs):
    module = _nets(tf, shim).inception
    scope = getattr(module, f"inception_v{version}_arg_scope")
    with shim.contrib.slim.arg_scope(scope(weight_decay=0.01)):
        name = f"inception_v{version}"
        if final:
            build = getattr(module, name + "_base")
            net, ends = build(_image(tf, side), final_endpoint=final, **kwargs)
        else:
            build = getattr(module, name)
            net, ends = build(_image(tf, side), num_classes=5, **kwargs)
    out = {"net": net, "names": list(ends), "_digest": True}
    for name in ("AuxLogits", "Logits", "Predictions", "PreLogits"):
        if name in ends:
            out[name] = ends[name]
    return out


def inception_1_base(tf, shim):
    return _inception(tf, shim, 1, 32, "Mixed_3b")


def inception_1_plain(tf, shim):
    inception = _nets(tf, shim).inception
    with shim.contrib.slim.arg_scope(inception.inception_v1_arg_scope(use_batch_norm=False)):
        net, ends = inception.inception_v1_base(_image(tf, 16), "Conv2d_2c_3x3")
    return {"net": net, "names": list(ends), "_digest": True}


def inception_1(tf, shim):
    return dict(_inception(tf, shim, 1, 224), _static=True)


def inception_2(tf, shim):
    return _inception(tf, shim, 2, 64, is_training=False, depth_multiplier=0.05, min_depth=4)


def inception_2_whole(tf, shim):
    return dict(_inception(tf, shim, 2, 224), _static=True)


def inception_3(tf, shim):
    return _inception(tf, shim, 3, 107, is_training=False, depth_multiplier=0.02, min_depth=4)


def inception_3_whole(tf, shim):
    return dict(_inception(tf, shim, 3, 299), _static=True)


def inception_3_base(tf, shim):
    return dict(_inception(tf, shim, 3, 299, "Mixed_6a"), _static=True)


def _whole(tf, shim, family, name, args, side, **kwargs):
    module = getattr(_nets(tf, shim), family)
    with shim.contrib.slim.arg_scope(getattr(module, args)()):
        net, ends = getattr(module, name)(_image(tf, side), num_classes=7, **kwargs)
    return {"net": net, "names": list(ends), "_static": True}


def resnet_1_50(tf, shim):
    return _whole(tf, shim, "resnet_v1", "resnet_v1_50", "resnet_arg_scope", 65, output_stride=16)


def resnet_1_101(tf, shim):
    return _whole(tf, shim, "resnet_v1", "resnet_v1_101", "resnet_arg_scope", 65)


def resnet_1_152(tf, shim):
    return _whole(tf, shim, "resnet_v1", "resnet_v1_152", "resnet_arg_scope", 65, scope="other")


def resnet_2_50(tf, shim):
    return _whole(tf, shim, "resnet_v2", "resnet_v2_50", "resnet_arg_scope", 64)


def resnet_2_200(tf, shim):
    return _whole(tf, shim, "resnet_v2", "resnet_v2_200", "resnet_arg_scope", 65, is_training=False)


def vgg_a(tf, shim):
    return _whole(tf, shim, "vgg", "vgg_a", "vgg_arg_scope", 224)


def vgg_16(tf, shim):
    return _whole(tf, shim, "vgg", "vgg_16", "vgg_arg_scope", 256, spatial_squeeze=False)


def vgg_19(tf, shim):
    return _whole(tf, shim, "vgg", "vgg_19", "vgg_arg_scope", 224, scope="other")


def alexnet(tf, shim):
    return _whole(tf, shim, "alexnet", "alexnet_v2", "alexnet_v2_arg_scope", 224)


def overfeat(tf, shim):
    return _whole(tf, shim, "overfeat", "overfeat", "overfeat_arg_scope", 231)


def overfeat_head(tf, shim):
    overfeat = _nets(tf, shim).overfeat
    return {"start": overfeat.trunc_normal(0.5)([4, 3]), "scope": overfeat.overfeat.__name__}
